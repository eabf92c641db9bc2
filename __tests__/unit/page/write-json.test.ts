import { afterEach, beforeEach, expect, it, jest } from "@jest/globals";
import fc from "fast-check";
import { runInTimeSlices } from "../../../src/core/runtime/time-slices.js";
import { writeJson } from "../../../src/page/write-json.js";

const write = (value: unknown): Promise<string> => runInTimeSlices(writeJson(value), null);

let nowMs = 0;
/** Whoever looks at the clock has worked for a millisecond, so ten looks are a slice. */
beforeEach(() => void jest.spyOn(performance, "now").mockImplementation(() => (nowMs += 1)));
afterEach(() => void jest.restoreAllMocks());

it("writes what JSON.stringify writes", async () => {
  const values = fc.anything({ withDate: true, withNullPrototype: true });
  await fc.assert(
    fc.asyncProperty(values, async (value) => {
      const answer = { value, list: [value, undefined, "text"] };
      expect(await write(answer)).toBe(JSON.stringify(answer));
    }),
  );
});

it("gives others their turn among a million lines", async () => {
  let turns = 0;
  const work = write({ runs: [{ lines: Array.from({ length: 1_000_000 }, () => "") }] });
  const done = work.then(() => true);
  while (!(await Promise.race([done, new Promise((resolve) => setImmediate(resolve, false))]))) turns += 1;
  expect(turns).toBeGreaterThanOrEqual(8);
  expect(JSON.parse(await work)).toMatchObject({ runs: [{ lines: { length: 1_000_000 } }] });
});
