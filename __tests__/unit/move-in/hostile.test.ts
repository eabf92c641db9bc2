import { tmpdir } from "node:os";
import { Readable } from "node:stream";
import { describe, expect, it } from "@jest/globals";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { type Memory, MemoryNode, openMemory } from "../../../src/index.js";
import { FailingStore } from "../../helpers/failing-store.js";
import { freshMemory, pathsIn } from "../../helpers/fresh-memory.js";
import { moveIn, type MoveInOptions, type MoveInReport, readEntries } from "../../../src/move-in/index.js";

/** Exports that somebody made to do harm. Each is refused in words, or comes in as plain text below `into`. */

/** What a source that is a stream answers. */
const streamOf = (content: string | Uint8Array): Readable => Readable.from([Buffer.from(content)]);

type Moving = Parameters<typeof readEntries>[0] & MoveInOptions;

async function move({
  from,
  source,
  namespace,
  ...options
}: Moving): Promise<{ report: MoveInReport; memory: Memory; paths: string[] }> {
  const memory = openMemory(new InMemoryStore(), { nodeId: "n", scope: "perUser", userId: "ada" });
  const entries = readEntries({ from, source, ...(namespace && { namespace }) });
  const report = await moveIn(memory, entries, { into: "/imported", ...options });
  const paths = await pathsIn(memory);
  for (const path of paths) expect(path.startsWith("/imported/")).toBe(true);
  for (const { why } of report.losses) expect(why).toMatch(/^[a-z0-9"]/);
  return { report, memory, paths };
}

const mem0 = (fields: object): string => JSON.stringify([{ id: "1", memory: "text", user_id: "ada", ...fields }]);
const deep = (levels: number): string => `${"[".repeat(levels)}${"]".repeat(levels)}`;

// Others, whose text a reader can see, stand in the transcript of moving in.
describe("records that are refused", () => {
  it.each<[name: string, content: string | Uint8Array, why: RegExp]>([
    ["a picture", Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0xff, 0xfe), /not UTF-8/],
    ["UTF-16", Buffer.from("\uFEFF[]", "utf16le"), /not UTF-8/],
    ["Latin-1", Buffer.from('[{"id": "1", "memory": "caf\u00e9"}]', "latin1"), /not UTF-8/],
    ["an overlong encoding", Buffer.from([0x5b, 0x22, 0xc0, 0xae, 0x22, 0x5d]), /not UTF-8/],
    ["a zip", Buffer.from("PK\u0003\u0004\u00ff\u00fe", "latin1"), /not UTF-8|no JSON/],
    ["101 levels", deep(101), /more than 100 levels/],
    ["100,000 levels", deep(100_000), /more than 100 levels/],
    ["six million values", `[[${"1,".repeat(6_000_000)}1]]`, /more than 5000000 values/],
    ["a text over the limit of a file", mem0({ memory: "a".repeat(1_100_000) }), /over its limit/],
  ])("%s", async (_name, content, why) => {
    const { report, paths } = await move({ from: "mem0", source: streamOf(content) });
    expect(paths).toEqual([]);
    expect(report.skipped).toBeGreaterThan(0);
    expect(report.losses[0]?.why).toMatch(why);
  });

  it("names each that has no clear user, and a memory that all share takes only what names nobody", async () => {
    const users = ["ada", "bob", 42, ["bob"], { id: "bob" }, undefined, null];
    const records = users.map((user_id, index) => ({ id: `${index}`, memory: `text ${index}`, user_id, run_id: "r" }));
    const open = (): Readable => streamOf(JSON.stringify(records));
    const shared = freshMemory();
    const { report } = await move({ from: "mem0", source: open() });
    const common = await moveIn(shared, readEntries({ from: "mem0", source: open() }));
    expect(report).toMatchObject({ written: 1, skipped: 6 });
    expect(report.losses.map(({ what }) => what)).toEqual([1, 2, 3, 4, 5, 6].map((index) => `mem0:${index}`));
    expect(common).toMatchObject({ written: 2, skipped: 5 });
    expect(common.losses.map(({ what }) => what)).toEqual([0, 1, 2, 3, 4].map((index) => `mem0:${index}`));
  });

  it("are items of another namespace, where a store compares namespaces as texts", async () => {
    const store = new InMemoryStore();
    for (const user of ["ada", "adam"]) await store.put(["users", user], "note", { text: `of ${user}` });
    const search: typeof store.search = (prefix, options) => store.search(prefix.slice(0, -1), options);
    const source = new Proxy(store, {
      get: (target, name) => (name === "search" ? search : Reflect.get(target, name)),
    });
    for (const from of ["store", "deepagents"] as const) {
      const { paths } = await move({ from, source, namespace: ["users", "ada"] });
      expect(paths).toEqual(from === "store" ? ["/imported/note.md"] : []);
    }
  });

  it("does not lose the good lines beside a bad one", async () => {
    const good = (id: string): string => JSON.stringify({ id, memory: `text ${id}`, user_id: "ada" });
    for (const text of [`{"a": "x\n${good("1")}\n${good("2")}\n`, `${good("1")}\n{"a": "x\n${good("2")}\n`]) {
      const { report } = await move({ from: "mem0", source: streamOf(text) });
      expect(report).toMatchObject({ written: 2, skipped: 1 });
    }
    const { report } = await move({ from: "mem0", source: streamOf(`x"}\ny"}\n${good("1")}\n${good("2")}\n`) });
    expect(report).toMatchObject({ written: 2, skipped: 2 });
  });

  it("takes JSON over several lines for one value, also if a line of it is a record", async () => {
    const record = JSON.stringify({ id: "1", memory: "text", user_id: "ada" });
    for (const text of [`[\n${record}\n]\n`, `{"results": [\n${record}\n]}`]) {
      const { report } = await move({ from: "mem0", source: streamOf(text) });
      expect(report).toMatchObject({ written: 1, skipped: 0 });
    }
  });

  it("takes each of two memories of one id, or says that one was left out", async () => {
    const both = JSON.stringify([
      { id: "1", memory: "same words a" },
      { id: "1", memory: "same words a", user_id: "ada" },
    ]);
    const { report } = await move({ from: "mem0", source: streamOf(both) });
    expect(report.written + report.unchanged + report.skipped).toBe(2);
  });
});

/** Names that would lead out of the directory, or look as if they did. */
const names = [
  "..",
  ".",
  "../../etc/passwd",
  "/etc/passwd",
  "a/../../b",
  "..\\..\\windows",
  "C:\\windows",
  "%2e%2e%2fsecret",
  "%252e%252e/x",
  "\uFF0E\uFF0E/x",
  "a\0b",
  "line\nskipped: no",
  "\u202Egnp.exe",
  "\u001b[31mred",
  " blank ",
  "e\u0301",
  "CON",
  "",
  "x".repeat(5000),
  "constructor",
  "__proto__",
];

describe.each<[what: string, from: "store" | "server-memory" | "deepagents", source: (name: string) => unknown]>([
  [
    "an item",
    "store",
    (name) => ({ find: () => asyncOf([{ namespace: ["a", name], key: name, value: { text: "x" } }]) }),
  ],
  [
    "an entity",
    "server-memory",
    (name) => streamOf(JSON.stringify({ type: "entity", name, entityType: name, observations: [name] })),
  ],
  [
    "a file of deepagents",
    "deepagents",
    (name) => ({ find: () => asyncOf([{ namespace: ["a"], key: name, value: { content: "x" } }]) }),
  ],
])("a name of %s", (_what, from, source) => {
  it.each(names.map((name) => [JSON.stringify(name.slice(0, 40)), name]))(
    "stays below the directory: %s",
    async (_shown, name = "") => {
      const { report } = await move({ from, source: source(name), namespace: ["a"] } as Moving);
      expect(report.written + report.skipped).toBe(1);
    },
  );
});

async function* asyncOf(items: readonly object[]): AsyncGenerator {
  yield* items;
}

it("an observation with a long row of blanks takes linear time", async () => {
  const observations = [`a${" ".repeat(900_000)}b \n c`];
  const entity = JSON.stringify({ type: "entity", name: "a", entityType: "person", observations });
  // Bounded by jest's limit of time: anything quadratic takes minutes.
  const { report, memory } = await move({ from: "server-memory", source: streamOf(entity) });
  expect(report.written).toBe(1);
  expect(await memory.read("/imported/person/a.md")).toMatch(/ b c\n$/);
});

it("moves entries in beside other work, also if their source waits for nothing", async () => {
  const notes = Array.from({ length: 100_000 }, () => ({ kind: "note", what: "a", why: "b" }) as const);
  let turns = 0;
  let next = setImmediate(function take() {
    turns += 1;
    next = setImmediate(take);
  });
  await moveIn(freshMemory(), notes).finally(() => clearImmediate(next));
  expect(turns).toBeGreaterThan(1);
});

describe("a move that its signal ends", () => {
  const reason = new Error("enough");

  it("waits no longer for a source that hangs, and closes it", async () => {
    const controller = new AbortController();
    let isClosed = false;
    const source: AsyncIterable<{ path: string; content: string }> = {
      [Symbol.asyncIterator]: () => ({
        next: () => {
          controller.abort(reason);
          return new Promise(() => {});
        },
        return: async () => {
          isClosed = true;
          throw new Error("of the source");
        },
      }),
    };
    await expect(moveIn(freshMemory(), source, { signal: controller.signal })).rejects.toBe(reason);
    expect(isClosed).toBe(true);
  });

  it("has closed its source when the storage fails", async () => {
    let isClosed = false;
    const source = async function* (): AsyncGenerator<{ path: string; content: string }> {
      try {
        for (let number = 0; ; number += 1) {
          yield { path: `/${number}`, content: "x".repeat(500_000) };
          store.isAway = true;
        }
      } finally {
        await new Promise((resolve) => setImmediate(resolve));
        isClosed = true;
      }
    };
    const store = new FailingStore();
    const failing = openMemory(store, { nodeId: "n" });
    const { signal } = new AbortController();
    await expect(moveIn(failing, source(), { signal })).rejects.toMatchObject({ code: "EIO" });
    expect(isClosed).toBe(true);
  });
});

describe("a move that ends with an error", () => {
  const cut = async function* (error: Error): AsyncGenerator<string> {
    yield `${mem0({}).slice(0, -1)},{`;
    throw error;
  };

  it("says that the source cannot be read, and counts what was done before", async () => {
    const fault = Object.assign(new Error("EIO: i/o error, read"), { code: "EIO", syscall: "read" });
    const entries = async function* (): AsyncGenerator<{ path: string; content: string }> {
      yield { path: "/../x", content: "refused" };
      for await (const content of cut(fault)) yield { path: "/a", content };
    };
    await expect(moveIn(freshMemory(), entries())).rejects.toMatchObject({
      code: "EINVAL",
      message: "the source cannot be read (EIO)",
      cause: fault,
      details: { moved: { written: 0, skipped: 1 } },
    });
  });

  it.each(["mem0", "server-memory"] as const)("of %s: names a missing source as EINVAL", async (from) => {
    await expect(move({ from, source: "no/such/file" })).rejects.toMatchObject({
      code: "EINVAL",
      message: "the source cannot be read (ENOENT)",
      details: { moved: { written: 0 } },
    });
    await expect(move({ from, source: tmpdir() })).rejects.toMatchObject({ code: "EINVAL" });
  });

  it("leaves the errors of a stream of the program as they are", async () => {
    const error = new Error("the program's own");
    await expect(move({ from: "mem0", source: cut(error) })).rejects.toBe(error);
  });
});

/** A memory that only reads below /closed, refuses secrets and hides codes. */
const guarded = (): Promise<Memory> =>
  new MemoryNode({
    nodeId: "n",
    store: new InMemoryStore(),
    rules: [{ path: "/closed/**", access: "read" }],
    guard: ({ content }) => {
      if (content.includes("secret")) throw new Error("no secrets");
      return content.replaceAll("4711", "[code]");
    },
  }).memoryForRun({ config: {} });

it("rules and a guard hold for what moves in", async () => {
  const source = new InMemoryStore();
  await source.put(["open"], "a.md", { text: "a 4711" });
  await source.put(["open"], "b.md", { text: "a secret" });
  await source.put(["closed"], "c.md", { text: "c" });
  const memory = await guarded();
  const report = await moveIn(memory, readEntries({ from: "store", source }));
  expect(report).toMatchObject({ written: 1, skipped: 2 });
  expect((await memory.snapshot()).files).toMatchObject([
    { path: "/open/a.md", content: expect.stringMatching(/a \[code\]$/) },
  ]);
});

it("a guard that refuses one text of a list keeps the others, and a text that it changed comes once", async () => {
  const memory = await guarded();
  const entries = ["tea", "a secret", "4711"].map((content, index) => ({ path: "/facts.md", id: `${index}`, content }));
  expect(await moveIn(memory, entries)).toMatchObject({ written: 2, skipped: 1 });
  const text = await memory.read("/facts.md");
  expect(text).toMatch(/^- tea \^\w+\n- \[code\] \^\w+\n$/);
  expect(await moveIn(memory, entries)).toMatchObject({ written: 0, unchanged: 2, skipped: 1 });
  expect(await memory.read("/facts.md")).toBe(text);
});

it("a file that a guard changed is there already the second time, also with overwrite", async () => {
  const memory = await guarded();
  const entries = [{ path: "/a.md", content: "4711" }];
  expect(await moveIn(memory, entries)).toMatchObject({ written: 1 });
  for (const overwrite of [false, true])
    expect(await moveIn(memory, entries, { overwrite })).toMatchObject({ written: 0, unchanged: 1, skipped: 0 });
});

it("entries that are none are skipped with the reason", async () => {
  const memory = freshMemory();
  const fields = { at: new Date(NaN), createdAt: "2025-01-01", id: 7, author: 7, sources: "x", shortened: {} };
  const wrong = Object.entries(fields).map(([name, value]) => ({ path: "/a", content: "x", [name]: value }));
  const bad = [null, 7, {}, { path: "/a" }, { path: 7, content: "x" }, { path: "/a", content: 7 }, ...wrong];
  expect(await moveIn(memory, bad as never)).toMatchObject({ written: 0, skipped: bad.length });
  for (const entries of ["text", null, {}, 7])
    await expect(moveIn(memory, entries as never)).rejects.toThrow(TypeError);
});
