import { describe, expect, it } from "@jest/globals";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { type Memory, type MemoryGuard, MemoryNode, mergeMemories, openMemory } from "../../../src/index.js";
import fc, { assertProperty } from "../../helpers/fast-check.js";
import { freshAddress, refuses, untyped } from "../../helpers/memory-case.js";
import { changesBetween, quote, readMarked, testTranscript, textsOf } from "../../helpers/transcripts.js";
import { randomPaths } from "../../helpers/random-paths.js";

type Tree = Record<string, string>;

const store = new InMemoryStore();

async function createMemory(files: Tree = {}, options = {}): Promise<Memory> {
  const memory = openMemory(store, freshAddress(), options);
  for (const [path, content] of Object.entries(files)) await memory.write(path, content);
  return memory;
}

async function merge(from: Tree, into: Tree, options?: Parameters<typeof mergeMemories>[2]) {
  const memories = { from: await createMemory(from), into: await createMemory(into) };
  const { files } = await mergeMemories(memories.from, memories.into, options);
  return { ...memories, files, tree: await textsOf(memories.into) };
}

describe("a merge does what its transcript says", () => {
  testTranscript("merges", async (given) => {
    const from = await createMemory(readMarked(given, "from") as Tree);
    const into = await createMemory(readMarked(given, "+") as Tree, readMarked(given, "options"));
    const before = await textsOf(into);
    const { files } = await mergeMemories(from, into);
    return [...given, ...files.map((file) => `| ${quote(file)}`), ...changesBetween(before, await textsOf(into))];
  });
});

describe("mergeMemories", () => {
  it("leaves the first memory as it was", async () => {
    const { from } = await merge({ "/a": "1", "/b": "2" }, { "/a": "3" });
    expect(await textsOf(from)).toEqual({ "/a": "1", "/b": "2" });
  });

  it("only reports with dryRun, and reports what it then does", async () => {
    const from = await createMemory({ "/a": "1", "/b": "1", "/c": "1", "/d/e": "1" });
    const into = await createMemory({ "/a": "2", "/b": "1", "/c": "2", "/d": "2" });
    const before = await textsOf(into);
    const planned = await mergeMemories(from, into, { dryRun: true });
    expect(await textsOf(into)).toEqual(before);
    expect(await mergeMemories(from, into)).toEqual(planned);
  });

  it("refuses to merge a memory into itself, also if it was opened twice", async () => {
    const address = { nodeId: "one", scope: "perUser", userId: "ada" } as const;
    const one = openMemory(store, address);
    await refuses(mergeMemories(one, one), "EINVAL", "a memory cannot be merged into itself");
    await refuses(mergeMemories(one, openMemory(store, address)), "EINVAL");
  });

  it("merges the memories of one address in two stores", async () => {
    const address = { nodeId: "one" };
    const [from, into] = [openMemory(new InMemoryStore(), address), openMemory(new InMemoryStore(), address)];
    await from.write("/a", "1");
    await mergeMemories(from, into);
    expect(await textsOf(into)).toEqual({ "/a": "1" });
  });

  it("refuses unknown options", async () => {
    const [from, into] = [await createMemory(), await createMemory()];
    await expect(mergeMemories(from, into, untyped({ dryrun: true }))).rejects.toThrow('"dryRun"');
  });

  it("adds no file twice whose text a guard of the second memory has changed", async () => {
    const from = await createMemory({ "/a": "4711", "/b": "4711", "/secret": "x" });
    const guard: MemoryGuard = ({ path, content }) => {
      if (path.startsWith("/secret")) throw new Error("no secrets");
      return content.replaceAll("4711", "[code]");
    };
    const into = new MemoryNode({ nodeId: "guarded", store: new InMemoryStore(), guard }).memory();
    await into.write("/b", "other");
    const outcomes = [];
    for (let run = 0; run < 3; run += 1) {
      const { files } = await mergeMemories(from, into);
      outcomes.push(files.map(({ result }) => result));
    }
    expect(outcomes).toEqual([
      ["created", "beside", "skipped"],
      ["equal", "equal", "skipped"],
      ["equal", "equal", "skipped"],
    ]);
    expect(await textsOf(into)).toEqual({ "/a": "[code]", "/b": "other", "/b-merged": "[code]" });
  });

  it("loses no edit of the second memory that is made while it runs", async () => {
    const paths = Array.from({ length: 20 }, (_, index) => `/${index}`);
    const from = await createMemory(Object.fromEntries(paths.map((path) => [path, "old"])));
    const into = await createMemory();
    const writer = async (): Promise<void> => {
      for (const path of paths.toReversed()) await into.append(path, `new ${path}`);
    };
    await Promise.all([mergeMemories(from, into), writer()]);
    const tree = await textsOf(into);
    for (const path of paths) {
      const texts = [tree[path], tree[`${path}-merged`]].join("\n").split("\n").filter(Boolean);
      expect(texts.toSorted()).toEqual([`new ${path}`, "old"]);
    }
  });
});

describe("a merge of random memories", () => {
  const trees = fc.dictionary(randomPaths, fc.constantFrom("", "x", "x\n", "y\r\nx", "---\na: 1\n---\n"), {
    maxKeys: 6,
  });
  /** Leaves out files that lie below another file. */
  const toTree = (given: Tree): Tree =>
    Object.fromEntries(
      Object.entries(given).filter(([path]) => !Object.keys(given).some((each) => path.startsWith(`${each}/`))),
    );

  it("keeps each text of both, changes nothing the second time, and continues wherever it was interrupted", async () => {
    await assertProperty(
      fc.asyncProperty(trees, trees, fc.nat(8), async (some, others, changes) => {
        const [given, present] = [toTree(some), toTree(others)];
        const { tree, from, into, files } = await merge(given, present);
        const interrupted = await createMemory(present);
        await mergeMemories(from, failAfter(interrupted, changes)).catch(() => undefined);
        await mergeMemories(from, interrupted);
        expect(await textsOf(interrupted)).toEqual(tree);
        for (const [path, text] of Object.entries(present)) expect(tree[path]).toBe(text);
        for (const { path, result, to = path } of files) if (result !== "skipped") expect(tree[to]).toBe(given[path]);
        await mergeMemories(from, into);
        expect(await textsOf(into)).toEqual(tree);
      }),
      { usual: 50, long: 500 },
    );
  });
});

/** A memory whose storage is gone after so many changes. */
function failAfter(memory: Memory, changes: number): Memory {
  let left = changes;
  return new Proxy(memory, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      return (...given: unknown[]) => {
        if (name === "write" && (left -= 1) < 0) throw new Error("killed");
        return Reflect.apply(value, target, given) as unknown;
      };
    },
  });
}
