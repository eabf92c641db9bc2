import { describe, expect, it } from "@jest/globals";
import { ToolMessage } from "@langchain/core/messages";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import fc from "fast-check";
import { MemoryNode, openMemory } from "../../../../src/index.js";
import { createJournalTools } from "../../../../src/langchain/journal/index.js";
import { hitsOf } from "../../../helpers/journal-answers.js";
import { type Answer, JournalBench } from "../../../helpers/journal-scenario.js";
import { repetitions } from "../../../helpers/repetitions.js";

const codes = [
  "INVALID_PATH",
  "MEMORY_CONTENT_TOO_LARGE",
  "MEMORY_INVALID_ARGUMENT",
  "MEMORY_INVALID_KEY",
  "MEMORY_INVALID_TARGET",
  "MEMORY_KEY_EXISTS",
  "MEMORY_KEY_NOT_FOUND",
  "MEMORY_STORAGE_ERROR",
];

describe("the journal's tools", () => {
  it("answer arguments of any shape in their own form", async () => {
    const bench = new JournalBench();
    const names = fc.constantFrom("key", "content", "query", "tags", "target", "limit", "path", "__proto__", "type");
    const value = fc.oneof(fc.anything(), fc.string(), fc.constantFrom("k", "\uD800", "\0", null, undefined));
    const args = fc.oneof(fc.anything(), fc.dictionary(names, value));
    await fc.assert(
      fc.asyncProperty(args, async (given) => {
        for (const { name } of bench.tools) {
          const answer = await bench.call(name, given);
          if (answer.success) expect(answer.data).toEqual(expect.any(Object));
          else expect(codes).toContain(answer.error?.code);
        }
      }),
      { numRuns: repetitions({ usual: 100, long: 300 }) },
    );
  });

  it("find the blocks that have all of the tags, with a query or without", async () => {
    const bench = new JournalBench();
    const tagsOf = { one: ["x"], both: ["y", "x"], more: ["x", "z", "y"], cased: ["X", "y"] };
    for (const [key, tags] of Object.entries(tagsOf))
      await bench.call("memory_write", { key, content: `of ${key}`, tags });
    const found = async (args: object): Promise<unknown[]> =>
      hitsOf(await bench.call("memory_search", args))
        .map(({ key }) => key)
        .toSorted();
    expect(await found({ query: "", tags: ["x", "y"] })).toEqual(["both", "more"]);
    expect(await found({ query: "MORE", tags: ["y"] })).toEqual(["more"]);
    expect(await found({ query: "", tags: [] })).toEqual(["both", "cased", "more", "one"]);
  });

  it("find the newest of thousands of blocks, wherever they stand", async () => {
    const bench = new JournalBench();
    const getHour = (index: number): number => (index * 1009) % 5000;
    const blocks = Array.from({ length: 5000 }, (_, index) => {
      const at = new Date(getHour(index) * 3_600_000).toISOString();
      return `### ${getHour(index)}\n\nfound\n\n<!-- agentool-memory: at=${at} -->\n\n`;
    });
    await bench.put("/2026/01/01.md", blocks.join(""));
    const answer = await bench.call("memory_search", { query: "found", limit: 3 });
    expect(hitsOf(answer).map(({ key }) => key)).toEqual(["4999", "4998", "4997"]);
    expect(answer.data).toMatchObject({ total: 5000, truncated: true });
  });

  it("work on a memory of either path rule", async () => {
    for (const paths of ["plain", "posix"] as const) {
      const bench = new JournalBench("/", openMemory(new InMemoryStore(), { nodeId: paths }, { paths }));
      expect(await bench.call("memory_write", { key: "a", content: "" })).toMatchObject({ success: true });
    }
  });

  it("take the thread from the run, and say where it is missing", async () => {
    const node = new MemoryNode({ store: new InMemoryStore(), nodeId: "n", scope: "perThread" });
    const [write, , read] = createJournalTools(node);
    const run = { configurable: { thread_id: "t1" } };
    expect(await write?.invoke({ key: "k", content: "of t1" }, run)).toContain('"success":true');
    expect(await read?.invoke({ key: "k" }, run)).toContain("of t1");
    expect(await read?.invoke({ key: "k" }, { configurable: { thread_id: "t2" } })).toContain("MEMORY_KEY_NOT_FOUND");
    expect(JSON.parse(String(await read?.invoke({ key: "k" })))).toEqual({
      success: false,
      error: {
        code: "MEMORY_STORAGE_ERROR",
        message: expect.stringContaining("thread_id is required for perThread scope"),
      },
    });
  });

  it("tell a failing storage without its address", async () => {
    const store = new InMemoryStore();
    const fail = (): never => {
      throw new Error("connect ECONNREFUSED mongodb://user:secret@host:27017 at /srv/app");
    };
    Object.assign(store, { batch: fail, search: fail, get: fail, put: fail });
    const bench = new JournalBench("/", openMemory(store, { nodeId: "down" }));
    const calls: [string, object][] = [
      ["memory_write", { key: "k", content: "" }],
      ["memory_update", { key: "k", content: "" }],
      ["memory_read", { key: "k" }],
      ["memory_search", { query: "" }],
    ];
    for (const [name, args] of calls) {
      const { error }: Answer = await bench.call(name, args);
      expect(error).toEqual({
        code: "MEMORY_STORAGE_ERROR",
        message: expect.stringMatching(/^EIO: the store failed to \w+/),
      });
      expect(error?.message).not.toMatch(/secret|host|srv/);
    }
  });

  it("answer where the source of the memory or the clock fails", async () => {
    const failing = createJournalTools(() => {
      throw new Error("/srv/secret");
    });
    const message = { code: "MEMORY_STORAGE_ERROR", message: "the memory could not be opened" };
    expect(JSON.parse(String(await failing[2]?.invoke({ key: "k" })))).toEqual({ success: false, error: message });
    const memory = openMemory(new InMemoryStore(), { nodeId: "n" });
    const [write] = createJournalTools(memory, { clock: () => new Date(Number.NaN) });
    expect(JSON.parse(String(await write?.invoke({ key: "k", content: "" })))).toMatchObject({ success: false });
  });

  it("mark a refusal as an error for the model", async () => {
    const { tools } = new JournalBench();
    const call = { type: "tool_call" as const, id: "1", name: "memory_read", args: { key: "k" } };
    const message: unknown = await tools[2]?.invoke(call);
    expect(message).toBeInstanceOf(ToolMessage);
    expect(message).toMatchObject({ status: "error", tool_call_id: "1" });
  });

  it.each([[{ root: 5 }], [{ clock: "now" }], [{ folder: "/x" }]])("refuse the options %p as a mistake", (options) => {
    const memory = openMemory(new InMemoryStore(), { nodeId: "n" });
    expect(() => createJournalTools(memory, options as object)).toThrow(TypeError);
  });

  it("refuse what is no memory as a mistake", () => {
    expect(() => createJournalTools(undefined as never)).toThrow(TypeError);
  });

  it.each([["/"], ["."], ["./"], ["notes"], ["/notes/"], ["./notes"]])(
    "keep the journal below the root %p",
    async (root) => {
      const bench = new JournalBench(root);
      await bench.call("memory_write", { key: "k", content: "", target: "summary" });
      const folder = root.includes("notes") ? "notes/" : "";
      expect(Object.keys(await bench.files())).toEqual([`${folder}MEMORY.md`]);
      expect(await bench.call("memory_read", { key: "k" })).toMatchObject({ data: { file: "MEMORY.md" } });
    },
  );
});
