import { describe, expect, it } from "@jest/globals";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import fc from "fast-check";
import { type Memory, mergeMemories, openMemory } from "../../../src/index.js";
import { freshAddress, refuses, untyped } from "../../helpers/memory-case.js";
import { randomPaths } from "../../helpers/random-paths.js";
import { repetitions } from "../../helpers/repetitions.js";

type Tree = Record<string, string>;

const store = new InMemoryStore();

async function createMemory(files: Tree = {}, options = {}): Promise<Memory> {
  const memory = openMemory(store, freshAddress(), options);
  for (const [path, content] of Object.entries(files)) await memory.write(path, content);
  return memory;
}

async function readTree(memory: Memory): Promise<Tree> {
  const { files } = await memory.snapshot();
  return Object.fromEntries(files.map(({ path, content }) => [path, content]));
}

async function merge(from: Tree, into: Tree, options?: Parameters<typeof mergeMemories>[2]) {
  const memories = { from: await createMemory(from), into: await createMemory(into) };
  const { files } = await mergeMemories(memories.from, memories.into, options);
  return { ...memories, files, tree: await readTree(memories.into) };
}

describe("mergeMemories", () => {
  it("brings missing files, keeps equal ones once, and puts different ones beside", async () => {
    const { files, tree } = await merge({ "/a.md": "a", "/b": "b", "/c/d.md": "old" }, { "/b": "b", "/c/d.md": "new" });
    expect(tree).toEqual({ "/a.md": "a", "/b": "b", "/c/d.md": "new", "/c/d-merged.md": "old" });
    expect(files).toEqual([
      { path: "/a.md", result: "created" },
      { path: "/b", result: "equal" },
      { path: "/c/d.md", result: "beside", to: "/c/d-merged.md" },
    ]);
  });

  it("leaves the first memory as it was", async () => {
    const { from } = await merge({ "/a": "1", "/b": "2" }, { "/a": "3" });
    expect(await readTree(from)).toEqual({ "/a": "1", "/b": "2" });
  });

  it("numbers a name that is taken by another text or by a directory", async () => {
    const { tree } = await merge({ "/a.md": "1" }, { "/a.md": "2", "/a-merged.md": "3", "/a-merged-2.md/x": "4" });
    expect(tree["/a-merged-3.md"]).toBe("1");
  });

  it("puts a file beside a directory of its name", async () => {
    const { tree } = await merge({ "/a": "1" }, { "/a/b": "2" });
    expect(tree).toEqual({ "/a-merged": "1", "/a/b": "2" });
  });

  it("gives the name beside a length that is allowed", async () => {
    const long = `/${"ü".repeat(250)}.md`;
    const { tree } = await merge({ [long]: "1" }, { [long]: "2" });
    expect(tree).toEqual({ [`/${"ü".repeat(245)}-merged.md`]: "1", [long]: "2" });
  });

  it("skips what the second memory refuses, with the reason, and takes the rest", async () => {
    const from = await createMemory({ "/a.md": "a", "/b": "b", "/c/d": "d", "/e": "x".repeat(11) });
    const into = await createMemory({ "/c": "c" }, { paths: "plain", maxFileBytes: 10 });
    const { files } = await mergeMemories(from, into);
    expect(files.map(({ path, result }) => [path, result])).toEqual([
      ["/a.md", "skipped"],
      ["/b", "created"],
      ["/c/d", "skipped"],
      ["/e", "skipped"],
    ]);
    expect(files.map(({ reason }) => reason?.slice(0, 20))).toEqual([
      "invalid path segment",
      undefined,
      "a parent of the path",
      "the file would be 11",
    ]);
  });

  it("only reports with dryRun, and reports what it then does", async () => {
    const from = await createMemory({ "/a": "1", "/b": "1", "/c": "1", "/d/e": "1" });
    const into = await createMemory({ "/a": "2", "/b": "1", "/c": "2", "/d": "2" });
    const before = await readTree(into);
    const planned = await mergeMemories(from, into, { dryRun: true });
    expect(await readTree(into)).toEqual(before);
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
    expect(await readTree(into)).toEqual({ "/a": "1" });
  });

  it("refuses unknown options", async () => {
    const [from, into] = [await createMemory(), await createMemory()];
    await expect(mergeMemories(from, into, untyped({ dryrun: true }))).rejects.toThrow('"dryRun"');
  });

  it("loses no edit of the second memory that is made while it runs", async () => {
    const paths = Array.from({ length: 20 }, (_, index) => `/${index}`);
    const from = await createMemory(Object.fromEntries(paths.map((path) => [path, "old"])));
    const into = await createMemory();
    const writer = async (): Promise<void> => {
      for (const path of paths.toReversed()) await into.append(path, `new ${path}`);
    };
    await Promise.all([mergeMemories(from, into), writer()]);
    const tree = await readTree(into);
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
    await fc.assert(
      fc.asyncProperty(trees, trees, fc.nat(8), async (some, others, changes) => {
        const [given, present] = [toTree(some), toTree(others)];
        const { tree, from, into, files } = await merge(given, present);
        const interrupted = await createMemory(present);
        await mergeMemories(from, failAfter(interrupted, changes)).catch(() => undefined);
        await mergeMemories(from, interrupted);
        expect(await readTree(interrupted)).toEqual(tree);
        for (const [path, text] of Object.entries(present)) expect(tree[path]).toBe(text);
        for (const { path, result, to = path } of files) if (result !== "skipped") expect(tree[to]).toBe(given[path]);
        await mergeMemories(from, into);
        expect(await readTree(into)).toEqual(tree);
      }),
      { numRuns: repetitions({ usual: 50, long: 500 }) },
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
