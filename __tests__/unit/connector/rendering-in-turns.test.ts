import { afterEach, beforeEach, describe, expect, it, jest } from "@jest/globals";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { openMemory } from "../../../src/index.js";
import { type Form, showMemories } from "../../../src/prompt/shown-memory.js";

const fileCount = 12_000;
/** More than one short step needs, and less than a step over all files would. */
const maxReads = 5000;

const memory = openMemory(new InMemoryStore(), { nodeId: "large" });
const defaults: Form = {
  content: "auto",
  maxChars: 4000,
  pinned: [],
  tokens: null,
  root: "/",
  question: "",
  kept: null,
  logPath: null,
};
const forms: [name: string, form: Partial<Form>][] = [
  ["names", { content: "tree" }],
  ["an index", { content: "index" }],
  ["contents", { content: "full", maxChars: 200_000 }],
  ["what fits the turn", {}],
  ["what fits the turn, beside pinned files", { pinned: ["/d1/**", "/d2/*9"] }],
  ["what fits the turn, in tokens", { tokens: { max: 1000, count: ({ length }) => length / 2 } }],
];

/** Counts how many paths of files the work reads at most before others have the event loop. */
async function countMostReads(form: Partial<Form>): Promise<number> {
  let [reads, most] = [0, 0];
  const files = Array.from({ length: fileCount }, (_, number) => ({
    get path() {
      reads += 1;
      return `/d${number % 50}/n${number}`;
    },
    content: "A note.",
    sizeBytes: 7,
  }));
  const directories = Array.from({ length: 50 }, (_, number) => `/d${number}`);
  const outlines = [{ mount: { point: "/", memory }, outline: { files, directories, revision: 1 } }];
  const endTurn = (): void => {
    most = Math.max(most, reads);
    reads = 0;
  };
  let next = setImmediate(function take() {
    endTurn();
    next = setImmediate(take);
  });
  await showMemories({ isTree: false, outlines }, null, { ...defaults, ...form }).finally(() => clearImmediate(next));
  endTurn();
  return most;
}

describe("a rendering of very many files", () => {
  let nowMs = 0;
  /** Each look at the clock is 10 ms after the last one, so a turn is one step. */
  beforeEach(() => void jest.spyOn(performance, "now").mockImplementation(() => (nowMs += 10)));
  afterEach(() => void jest.restoreAllMocks());

  it.each(forms)("leaves the event loop to others after each part of the files: %s", async (_name, form) => {
    const most = await countMostReads(form);
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThan(maxReads);
  });
});
