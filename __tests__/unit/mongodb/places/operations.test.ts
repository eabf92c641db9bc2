import { describe, expect, it } from "@jest/globals";
import { checkOperation } from "../../../../src/mongodb/places/operations.js";

describe("the index of a put", () => {
  const putOf = (index: unknown): unknown => ({ namespace: ["a"], key: "k", value: {}, index });

  it.each([[Array.from({ length: 1 })], [Object.assign([], { length: 1 })], [["text", null]], ["text"], [true], [{}]])("is refused as %p", (index) => {
    expect(() => checkOperation(putOf(index))).toThrow(new TypeError(`put: index must be false or an array of paths (given ${kindOf(index)})`));
  });
});

function kindOf(index: unknown): string {
  if (typeof index !== "object") return `a ${typeof index}`;
  return Array.isArray(index) ? "a Array" : "a Object";
}
