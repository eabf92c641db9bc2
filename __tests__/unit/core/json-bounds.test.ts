import { describe, expect, it } from "@jest/globals";
import { callLimits, JsonBounds } from "../../../src/core/values/json-bounds.js";

function excessOf(text: string, pieceBytes = text.length): string | undefined {
  const bounds = new JsonBounds(callLimits);
  const bytes = Buffer.from(text);
  for (let start = 0; start < bytes.length; start += pieceBytes) bounds.add(bytes.subarray(start, start + pieceBytes));
  return bounds.excess;
}

describe("the bounds of a JSON text", () => {
  it.each([
    [
      "keys",
      JSON.stringify(Object.fromEntries(Array.from({ length: 10_001 }, (_, index) => [`k${index}`, 1]))),
      "more than 10000 values",
    ],
    ["elements", `[${"0,".repeat(10_000)}0]`, "more than 10000 values"],
    ["lists in lists", "[".repeat(101), "more than 100 levels"],
    ["objects in objects", '{"a":'.repeat(101), "more than 100 levels"],
  ])("are exceeded by too many %s", (_name, text, excess) => {
    expect(excessOf(text)).toBe(excess);
    expect(excessOf(text, 7)).toBe(excess);
  });

  it.each([
    ["as many elements as may be", `[${"0,".repeat(9_999)}0]`],
    ["as many levels as may be", "[".repeat(100) + "]".repeat(100)],
    ["levels side by side", `[${"[],".repeat(9_000)}[]]`],
    ["a text of brackets and commas", JSON.stringify({ text: '[{,"\\'.repeat(20_000) })],
  ])("are kept by %s", (_name, text) => {
    expect(excessOf(text)).toBeUndefined();
    expect(excessOf(text, 7)).toBeUndefined();
  });
});
