import fc from "fast-check";
import { MemoryNode } from "../../../src/graph/memory-node.js";
import { MemoryTool } from "../../../src/langchain/memory-tool.js";
import { MongoMemoryStore } from "../../../src/mongodb/store/mongo-memory-store.js";
import { assertClean, getOutcome } from "../oracle.js";
import { toSandbox, type Target } from "../target.js";

const kinds = ["diff", "blame", "proposal", "search", "grep", "rendering"] as const;

interface LargeTextCase {
  kind: (typeof kinds)[number];
  texts: readonly string[];
  query: string;
}

/** Parts that are slow to compare, to index or to parse when a text repeats them. */
const part = fc.constantFrom(
  "x",
  "a ",
  "\n",
  "x\n",
  "y\n",
  "# word\n",
  "## ",
  "- ",
  "[{",
  "&a *a ",
  "description: ",
  "---\n",
  "```\n",
  "| ",
  "\r",
  "\t",
  "é",
  "漢",
  "😀",
  "word-and-word ",
);

const largeText = fc
  .tuple(fc.array(part, { minLength: 1, maxLength: 8 }), fc.integer({ min: 0, max: 200_000 }), fc.array(part))
  .map(([parts, length, rest]) => {
    const unit = parts.join("");
    return unit.repeat(Math.ceil(length / unit.length)) + rest.join("");
  });

/** Large texts from a model, in whatever compares, indexes or shows them. */
export const largeTexts: Target = {
  name: "large texts",
  tries: "texts of up to 1 MB that repeat what is slow to compare, to index or to parse",
  casesPerSandbox: 50,
  open: async ({ client, dbName }, id) => {
    const collections = { itemsCollection: `${id} items`, memoriesCollection: `${id} memories` };
    const store = new MongoMemoryStore({ client, dbName, history: true, ...collections });
    const rules = [{ path: "/**", access: "ask" as const }];
    const asking = new MemoryNode({ store, nodeId: id, rules, onAsk: "propose" });
    const tool = new MemoryTool({ memory: asking });
    const memory = store.memory({ nodeId: id });
    const run = async ({ kind, texts, query }: LargeTextCase): Promise<unknown> => {
      const [newest, previous] = await takeVersions();
      if (kind === "diff") return memory.history?.diff(previous, newest);
      if (kind === "blame") return memory.history?.blame("/a");
      if (kind === "search") return memory.search(query);
      if (kind === "grep") return memory.grep(query);
      if (kind === "rendering") return (await asking.createConnector({ content: "index" }).renderMessage())?.text;
      return tool.invoke({ path: "/a", command: "append", content: texts[0] ?? "" });
    };
    const takeVersions = async (): Promise<[newest: string, previous: string]> => {
      const ids: string[] = [];
      for await (const version of memory.history?.list() ?? []) if (ids.push(version.id) === 2) break;
      return [ids[0] ?? "", ids[1] ?? ids[0] ?? ""];
    };
    return toSandbox<LargeTextCase>({
      inputs: fc.record({
        kind: fc.constantFrom(...kinds),
        texts: fc.array(largeText, { minLength: 1, maxLength: 3 }),
        query: fc.array(part, { minLength: 1, maxLength: 50 }).map((parts) => parts.join("")),
      }),
      call: async (given, measure) => {
        for (const text of given.texts) await memory.write("/a", text);
        return getOutcome(async () => assertClean(JSON.stringify((await measure(() => run(given))) ?? null)));
      },
      close: async () => {
        await store.forget({ nodeId: id, scope: "global" });
      },
    });
  },
};
