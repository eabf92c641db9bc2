import { afterAll, afterEach, beforeEach, describe, expect, it, jest } from "@jest/globals";
import type { LineageStep } from "../../../src/core/history/history-backend.js";
import { wholeText } from "../../../src/core/history/older-text.js";
import { encodeText } from "../../helpers/at-once.js";
import { createUnlimitedCall } from "../../../src/core/runtime/call.js";
import { runInTimeSlices, type Steps } from "../../../src/core/runtime/time-slices.js";
import { repetitions } from "../../helpers/repetitions.js";
import { countLongestSlice, countSteps, stopCounting } from "../../helpers/counted-steps.js";

afterAll(stopCounting);

const { blameLines } = await import("../../../src/core/history/blame.js");
const { coverOlderText, searchOlderText, searchText } = await import("../../../src/core/history/cover-older-text.js");
const { TextRedactor } = await import("../../../src/core/history/text-redactor.js");
const { findHunks, unifiedDiff } = await import("../../../src/core/history/unified-diff.js");

const count = repetitions({ usual: 70_000, long: 200_000 });
/** Some steps for each line, and those of the bounds. */
const maxSteps = 45 * count;
const maxSliceSteps = 15 * count;
const maxPlaceSteps = 500_000;

const linesOf = (line: (index: number) => string, length = count): string =>
  Array.from({ length }, (_, index) => line(index)).join("\n");

function stepOf(id: string, before: LineageStep["before"]): LineageStep {
  const facts = { path: "/f", operation: "modified", at: new Date(0), actor: null, sizeBytes: 0, sha256: "" } as const;
  return { version: { id, ...facts }, before };
}

async function* batchOf(...steps: LineageStep[]): AsyncGenerator<readonly LineageStep[]> {
  yield steps;
}

const hostile: [kind: string, older: string, newer: string][] = [
  ["nothing in common", linesOf((index) => `a${index}`), linesOf((index) => `b${index}`)],
  ["the same lines in another order", linesOf((index) => `${index}`), linesOf((index) => `${(index * 7919) % count}`)],
  ["few different lines", linesOf((index) => `${(index * index) % 7}`), linesOf((index) => `${(index * index) % 5}`)],
  [
    "many changed parts",
    linesOf((index) => (index % 2000 < 1999 ? `${index % 2}` : "a line that stays, with some length")),
    linesOf((index) => (index % 2000 < 1999 ? `${2 + (index % 2)}` : "a line that stays, with some length")),
  ],
];

/** With the package that compares lines. */
const history = /core\/history\/|node_modules\/diff\//;

describe("large texts that differ much", () => {
  it.each(hostile)("are blamed in bounded work: %s", async (_kind, older, newer) => {
    const steps = batchOf(stepOf("2", encodeText(older, newer)), stepOf("1", "none"));
    let blamed: Awaited<ReturnType<typeof blameLines>> = [];
    const taken = await countSteps(history, async () => {
      blamed = await blameLines({ text: newer, steps }, createUnlimitedCall());
    });
    expect(blamed).toHaveLength(count);
    expect(blamed.every(({ version }) => version !== null)).toBe(true);
    expect(taken).toBeLessThan(maxSteps);
  });

  it.each(hostile)("are compared in bounded work: %s", async (_kind, older, newer) => {
    const taken = await countSteps(history, () => findHunks(older, newer, null));
    expect(taken).toBeLessThan(maxSteps);
  });
});

describe("long work on the lines of texts", () => {
  let nowMs = 0;
  /** Whoever looks at the clock has worked for a millisecond, so ten looks are a slice. */
  beforeEach(() => void jest.spyOn(performance, "now").mockImplementation(() => (nowMs += 1)));
  afterEach(() => void jest.restoreAllMocks());

  const [, older, newer] = hostile[2] ?? ["", "", ""];
  const side = (text: string): { name: string; text: string } => ({ name: "/a", text });

  it("gives others their turn within a diff and a blame", async () => {
    const diff = (): Promise<string> => unifiedDiff(side(older), side(newer), null);
    const blame = (): Promise<unknown> => {
      const steps = batchOf(stepOf("2", wholeText(older)), stepOf("1", "none"));
      return blameLines({ text: newer, steps }, createUnlimitedCall());
    };
    expect(await countLongestSlice(history, diff)).toBeLessThan(maxSliceSteps);
    expect(await countLongestSlice(history, blame)).toBeLessThan(maxSliceSteps);
  });

  it("gives others their turn while a text is found and covered at a million places of a version", async () => {
    const redactor = new TextRedactor("x");
    const text = "x".repeat(1_000_000);
    const work = function* (): Steps<number> {
      const after = yield* searchText(`0${text}`, redactor);
      const difference = { start: 1, text: "1", end: text.length - 1 };
      const versions = yield* searchOlderText(difference, after, redactor);
      yield* coverOlderText(difference, { before: versions, after }, redactor);
      return versions.places.length;
    };
    let places = 0;
    const longest = await countLongestSlice(history, async () => void (places = await runInTimeSlices(work(), null)));
    expect(places).toBe(text.length - 1);
    expect(longest).toBeLessThan(maxPlaceSteps);
  });

  it("ends with the signal of its call", async () => {
    const controller = new AbortController();
    const diff = unifiedDiff(side(older), side(newer), controller.signal);
    setImmediate(() => controller.abort(new Error("stopped")));
    await expect(diff).rejects.toThrow("stopped");
  });
});
