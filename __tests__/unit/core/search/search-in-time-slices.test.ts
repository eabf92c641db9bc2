import { afterAll, afterEach, beforeEach, describe, expect, it, jest } from "@jest/globals";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { type Memory, openMemory } from "../../../../src/index.js";
import { countLongestSlice, stopCounting } from "../../../helpers/counted-steps.js";
import { openUnchanged } from "../../../helpers/unchanged-memory.js";

afterAll(stopCounting);

const texts: [name: string, text: string][] = [
  ["empty lines alone", "\n".repeat(900_000)],
  ["lines of white space", " \t\r\n".repeat(200_000)],
  ["one long line of words", "x y ".repeat(30_000)],
];

/** Far more than ten short steps of any kind take, and less than one over a whole text would. */
const maxSliceSteps = 800_000;

describe("a search in a hostile memory", () => {
  let nowMs = 0;
  let msPerLook = 1;
  /** Whoever looks at the clock has worked for some time, so a slice is some looks. */
  beforeEach(() => void jest.spyOn(performance, "now").mockImplementation(() => (nowMs += msPerLook)));
  afterEach(() => void jest.restoreAllMocks());

  it.each(texts)("leaves the event loop to others after a bounded number of steps: %s", async (name, text) => {
    msPerLook = 1;
    // To count steps takes many times as long as the work.
    const memory = openMemory(new InMemoryStore(), { nodeId: name }, { paths: "posix", timeoutMs: Infinity });
    await memory.write("/text", text);
    const unchanged = openUnchanged(await memory.snapshot(), { timeoutMs: Infinity });
    const calls: (() => Promise<unknown>)[] = [
      () => unchanged.search("x y"),
      // By the index that is there, to which the postings of all words are added first.
      () => unchanged.search("y x"),
      () => unchanged.search("x"),
      () => memory.grep("x z"),
    ];
    for (const call of calls) expect(await countLongestSlice(/core\//, call)).toBeLessThan(maxSliceSteps);
  });

  it("leaves the event loop to others after the texts are read, also if they are short", async () => {
    msPerLook = 0;
    const memory = openMemory(new InMemoryStore(), { nodeId: "short" });
    await memory.write("/text", "x y");
    let turns = 0;
    let next = setImmediate(function take() {
      turns += 1;
      next = setImmediate(take);
    });
    await memory.search("x").finally(() => clearImmediate(next));
    expect(turns).toBeGreaterThan(0);
  });

  it.each<[name: string, call: (memory: Memory) => Promise<unknown>]>([
    ["a search that indexes", (memory) => memory.search("x y")],
    ["a grep", (memory) => memory.grep("x z")],
  ])("ends by its signal: %s", async (name, call) => {
    msPerLook = 10;
    // To count steps takes many times as long as the work.
    const memory = openMemory(new InMemoryStore(), { nodeId: name }, { paths: "posix", timeoutMs: Infinity });
    await memory.write("/text", "\n".repeat(900_000));
    const controller = new AbortController();
    const ended = call(memory.with({ signal: controller.signal }));
    setImmediate(() => controller.abort(new Error("stopped")));
    await expect(ended).rejects.toThrow("stopped");
  });
});
