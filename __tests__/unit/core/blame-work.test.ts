import { expect, it, jest } from "@jest/globals";
import * as diff from "diff";
import type { LineageStep } from "../../../src/core/history/history-backend.js";
import { encodeOlderText, wholeText } from "../../../src/core/history/older-text.js";
import { createUnlimitedCall } from "../../../src/core/runtime/call.js";

let comparisons = 0;

jest.unstable_mockModule("diff", () => ({
  ...diff,
  diffArrays: (older: unknown[], newer: unknown[], options: { comparator: (a: unknown, b: unknown) => boolean }) =>
    diff.diffArrays(older, newer, {
      ...options,
      comparator: (one: unknown, other: unknown) => {
        comparisons += 1;
        return options.comparator(one, other);
      },
    }),
}));

const { blameLines } = await import("../../../src/core/history/blame.js");

const count = 500_000;

const linesOf = (line: (index: number) => string, length = count): string =>
  Array.from({ length }, (_, index) => line(index)).join("\n");

function stepOf(id: string, before: LineageStep["before"]): LineageStep {
  const facts = { path: "/f", operation: "modified", at: new Date(0), actor: null, sizeBytes: 0, sha256: "" } as const;
  return { version: { id, ...facts }, before };
}

async function* batchOf(...steps: LineageStep[]): AsyncGenerator<readonly LineageStep[]> {
  yield steps;
}

it.each([
  ["nothing in common", linesOf((index) => `a${index}`), linesOf((index) => `b${index}`)],
  ["the same lines in another order", linesOf((index) => `${index}`), linesOf((index) => `${(index * 7919) % count}`)],
  ["few different lines", linesOf((index) => `${(index * index) % 7}`), linesOf((index) => `${(index * index) % 5}`)],
  [
    "many changed parts",
    linesOf((index) => (index % 2000 < 1999 ? `${index % 2}` : "a line that stays, with some length")),
    linesOf((index) => (index % 2000 < 1999 ? `${2 + (index % 2)}` : "a line that stays, with some length")),
  ],
])("blame of half a million lines with %s takes bounded work", async (_kind, older, newer) => {
  comparisons = 0;
  const steps = batchOf(stepOf("2", encodeOlderText(older, newer)), stepOf("1", "none"));
  const blamed = await blameLines({ text: newer, steps }, createUnlimitedCall());
  expect(blamed).toHaveLength(count);
  expect(blamed.every(({ version }) => version !== null)).toBe(true);
  // At its limit a comparison still ends: each of 1,000 edits goes on along at most as many diagonals.
  expect(comparisons).toBeLessThan(3_000_000);
});

it("blame of long lines counts their length", async () => {
  const long = "x".repeat(100_000);
  const [older, newer] = [linesOf((index) => `${long}a${index}`, 100), linesOf((index) => `${long}b${index}`, 100)];
  comparisons = 0;
  await blameLines(
    { text: newer, steps: batchOf(stepOf("2", wholeText(older)), stepOf("1", "none")) },
    createUnlimitedCall(),
  );
  expect(comparisons).toBeLessThan(25_000);
});

it("blame gives other calls their turn between versions", async () => {
  const texts = ["a", "b", "c", "d", "e"].map((name) => linesOf((index) => `${name}${index % 10}`, 100_000));
  const text = "first\n" + (texts[0] ?? "");
  const steps = texts.map((older, index) => stepOf(String(9 - index), wholeText(`first\n${older}`)));
  let turns = 0;
  let isDone = false;
  const countTurn = (): void => {
    turns += 1;
    if (!isDone) setImmediate(countTurn);
  };
  setImmediate(countTurn);
  await blameLines({ text, steps: batchOf(...steps, stepOf("1", "none")) }, createUnlimitedCall());
  isDone = true;
  expect(turns).toBeGreaterThan(1);
});
