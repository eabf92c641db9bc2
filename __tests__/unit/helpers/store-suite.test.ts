import { describe, expect, it } from "@jest/globals";
import { InMemoryStore, type Operation } from "@langchain/langgraph-checkpoint";
import { defineStoreSuite, type StoreSuiteOptions, type StoreSuiteRunner } from "../../helpers/store-suite/suite.js";

interface Registered {
  title: string;
  run: () => Promise<void>;
}

/** The tests that the suite registers, as a runner would run them. */
function registered(
  options: StoreSuiteOptions = {},
  store = new InMemoryStore(),
): { tests: Registered[]; skipped: string[] } {
  const tests: Registered[] = [];
  const skipped: string[] = [];
  const define: StoreSuiteRunner["it"] = (title, run) => void tests.push({ title, run });
  define.skip = (title) => void skipped.push(title);
  defineStoreSuite({ describe: (_, group) => group(), it: define }, () => store, options);
  return { tests, skipped };
}

const getId = ({ title }: Registered): string => /\[([^\]]+)\]/.exec(title)?.[1] ?? "";

function findTest(id: string, options?: StoreSuiteOptions, store?: InMemoryStore): Registered {
  const found = registered(options, store).tests.find((test) => getId(test) === id);
  if (found === undefined) throw new Error(`no test ${id}`);
  return found;
}

class ForgetfulStore extends InMemoryStore {
  override async put(): Promise<void> {
    // Loses everything.
  }
}

describe("defineStoreSuite", () => {
  it("gives every case an id of its own, and runs it through the wrapper too", () => {
    const ids = registered({
      openIndexed: (index) => new InMemoryStore({ index }),
      openExpiring: () => new InMemoryStore(),
    }).tests.map(getId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => !/^(?:wrapped:)?[a-z]+(?:-[a-z]+)*$/.test(id))).toEqual([]);
    expect(ids).toEqual(
      expect.arrayContaining(["put-get", "wrapped:put-get", "list-depth", "rank-nearest", "expiry-get"]),
    );
    expect(ids).not.toContain("wrapped:list-depth");
    expect(ids.length).toBeGreaterThan(200);
  });

  it("runs cases of expiry and ranking only for a store that can be opened so", () => {
    const ids = registered().tests.map(getId);
    expect(ids.filter((id) => /^(?:rank|expiry)-/.test(id))).toEqual([]);
  });

  it("fails for a store that does", async () => {
    await expect(findTest("put-get", {}, new ForgetfulStore()).run()).rejects.toMatchObject({ name: "AssertionError" });
    await expect(findTest("wrapped:put-get", {}, new DroppingStore()).run()).rejects.toMatchObject({
      name: "AssertionError",
    });
    await expect(findTest("put-get").run()).resolves.toBeUndefined();
  });

  it("runs what is known to fail, and fails where it does not", async () => {
    const options = { knownFailures: { "put-get": "loses everything" } };
    const test = findTest("put-get", options, new ForgetfulStore());
    expect(test.title).toMatch(/^fails: .*loses everything$/);
    await expect(test.run()).resolves.toBeUndefined();
    await expect(findTest("put-get", options).run()).rejects.toThrow("does not fail any more");
  });

  it("leaves out what is skipped, with its reason", () => {
    const { tests, skipped } = registered({ skip: { "put-get": "never ends" } });
    expect(tests.map(getId)).not.toContain("put-get");
    expect(tests.map(getId)).toContain("wrapped:put-get");
    expect(skipped).toEqual([expect.stringContaining("never ends")]);
  });

  it("leaves out what does not apply to the capabilities declared", () => {
    const all = new Set(registered().tests.map(getId));
    const some = new Set(
      registered({ capabilities: { ordersByCodeUnits: false, storesDates: false } }).tests.map(getId),
    );
    expect([...all].filter((id) => !some.has(id) && !id.startsWith("wrapped:"))).toEqual([
      "value-dates",
      "search-order",
      "search-order-of-depths",
      "filter-dates",
      "filter-date-equality",
      "list-order",
    ]);
  });

  it.each<[string, StoreSuiteOptions]>([
    ["an unknown case", { knownFailures: { "put-gte": "x" } }],
    ["an unknown case to skip", { skip: { nothing: "x" } }],
    ["a case that does not run for this store", { knownFailures: { "rank-nearest": "x" } }],
    ["no reason", { knownFailures: { "put-get": " " } }],
    ["no reason to skip", { skip: { "put-get": "" } }],
    ["both", { knownFailures: { "put-get": "x" }, skip: { "put-get": "x" } }],
  ])("refuses a list with %s", (_, options) => {
    expect(() => registered(options)).toThrow(TypeError);
  });
});

class DroppingStore extends InMemoryStore {
  override async batch(operations: readonly Operation[]): Promise<never> {
    return operations.map(() => null) as never;
  }
}
