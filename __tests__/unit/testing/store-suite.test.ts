import { readFile } from "node:fs/promises";
import { describe, expect, it } from "@jest/globals";
import { InMemoryStore, type Operation } from "@langchain/langgraph-checkpoint";
import type { TestDefinition } from "../../../src/testing/memory-suite.js";
import { defineStoreSuite, type StoreSuiteOptions } from "../../../src/testing/store-suite.js";
import { officialStoreFailures, officialStoreSkips } from "../../helpers/official-store-failures.js";

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
  const define: TestDefinition = (title, run) => void tests.push({ title, run });
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

  it("is as large as the documentation says", async () => {
    const ids = registered({
      openIndexed: (index) => new InMemoryStore({ index }),
      openExpiring: () => new InMemoryStore(),
    }).tests.map(getId);
    const text = await readFile("docs/testing.md", "utf8");
    expect(text).toContain(`${ids.filter((id) => !id.startsWith("wrapped:")).length} cases`);
    expect(text).toContain(`all ${ids.length} tests`);
    expect(text).toContain(`fails ${Object.keys(officialStoreFailures).length} of them`);
    expect(text).toContain(`and ${Object.keys(officialStoreSkips).length} were not run on it`);
  });

  it("has the known failures of InMemoryStore that the documentation shows", async () => {
    const knownFailures = async (file: string): Promise<string[]> => {
      const [, block = ""] = /knownFailures: \{\n([^}]*)\}/.exec(await readFile(file, "utf8")) ?? [];
      return Array.from(block.matchAll(/"((?:wrapped:)?[a-z-]+)":/g), ([, id = ""]) => id).toSorted();
    };
    const shown = await knownFailures("docs/testing.md");
    expect(shown).toEqual(await knownFailures("__tests__/conformance/store-in-memory.test.ts"));
    expect(shown).toContain("rank-dimensions");
  });

  it("runs cases of expiry and ranking only for a store that can be opened so", () => {
    const ids = registered().tests.map(getId);
    expect(ids.filter((id) => /^(?:rank|expiry)-/.test(id))).toEqual([]);
  });

  // Requirement: store.suite-for-third-parties
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

  // Requirement: store.suite-for-third-parties
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
