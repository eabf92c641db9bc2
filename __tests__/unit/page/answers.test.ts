import { afterEach, beforeEach, describe, expect, it, jest } from "@jest/globals";
import { MongoClient } from "mongodb";
import { runInTimeSlices } from "../../../src/core/runtime/time-slices.js";
import { MongoMemoryStore } from "../../../src/index.js";
import { createMemoryPage } from "../../../src/page/index.js";
import { hideOthers } from "../../../src/page/owner.js";
import { writeJson } from "../../../src/page/write-json.js";
import fc from "../../helpers/fast-check.js";
import { untyped } from "../../helpers/memory-case.js";

describe("the JSON of an answer", () => {
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
});

it("hides other people in steps of at most an object", () => {
  const list = [
    { actor: { userId: "ada", agent: "cook" } },
    [{ actor: { userId: "bob", threadId: "t", agent: "cook" }, lines: ["", ""] }],
    null,
  ];
  const work = hideOthers({ list }, { userId: "ada" });
  let steps = 0;
  let result = work.next();
  for (; result.done !== true; result = work.next()) steps += 1;
  expect(result.value).toEqual({
    list: [{ actor: { userId: "ada", agent: "cook" } }, [{ actor: { agent: "cook" }, lines: ["", ""] }], null],
  });
  expect(steps).toBe(5);
});

it.each([
  ["no request", undefined, "(given undefined)"],
  ["a request of Node", { url: "/", headers: { host: "localhost" } }, "(given an object)"],
])("The page refuses %s, and names the handler for servers of Node", async (_name, request, given) => {
  const store = new MongoMemoryStore({ client: new MongoClient("mongodb://127.0.0.1:9/") });
  const refused = createMemoryPage({ store, token: "t".repeat(32) })(untyped(request));
  await expect(refused).rejects.toThrow(
    new TypeError(`the argument of the page must be a Request (a server of Node takes page.nodeListener) ${given}`),
  );
});
