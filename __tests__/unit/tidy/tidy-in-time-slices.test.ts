import { afterAll, afterEach, beforeEach, expect, it, jest } from "@jest/globals";
import { countLongestSlice, stopCounting } from "../../helpers/counted-steps.js";
import { untyped } from "../../helpers/memory-case.js";
import { tidy } from "../../../src/tidy/tidy.js";
import { findNearestLines } from "../../../src/dialects/nearest-lines.js";

afterAll(stopCounting);

/** Whoever looks at the clock has worked for some time, so a slice is 2,000 looks. */
beforeEach(() => {
  let nowMs = 0;
  jest.spyOn(performance, "now").mockImplementation(() => (nowMs += 10 / 2_000));
});
afterEach(() => void jest.restoreAllMocks());

/** More than so many short steps take, and less than one over a whole text would. */
const maxSliceSteps = 80_000;

it.each([
  ["empty lines", "\n".repeat(30_000)],
  ["empty lines of code", `\`\`\`\n${"\n".repeat(30_000)}`],
])("tidy leaves the event loop to others in a file of %s", async (_name, content) => {
  const file = { kind: "file", path: "/a.md", content, sizeBytes: 0, createdAt: new Date(), updatedAt: new Date() };
  const snapshot = async () => ({ files: [file], directories: [], revision: null });
  const memory = untyped({ snapshot, outline: snapshot });
  const longest = await countLongestSlice(/src\/(?:tidy|core\/search)\//, () => tidy(memory));
  expect(longest).toBeLessThan(maxSliceSteps);
});

it("the nearest lines of a wanted text of many numbered lines leave the event loop to others", async () => {
  const wanted = "1: ab\n".repeat(30_000);
  const longest = await countLongestSlice(/src\/dialects\//, () => findNearestLines("a line\n", wanted, 1000));
  expect(longest).toBeLessThan(maxSliceSteps);
});
