import type { Memory, MemoryHistory, MemoryProposals } from "../../../src/index.js";
import { policies } from "./policies.js";

/** The memories for a call. */
export interface Bench {
  /** The memory under the policy. */
  memory: Memory;
  /** The same memory without a policy. */
  free: Memory;
  /** Ids of the versions that the memory had when the call began, oldest first. */
  versions: readonly string[];
}

/** A row of the table. */
export interface Call {
  title: string;
  /** Replaced by `PATH` in the answers, so that calls with equal answers share one row. */
  path?: string | undefined;
  /** Whether it only reads. Then the next call can use the same memory with its versions. */
  reads?: boolean;
  run: (bench: Bench) => unknown;
}

/** Files with which every memory of the table begins. */
export const beginning = { "/note": "one\ntwo", "/docs/a": "alpha", "/docs/deep/b": "beta", "/kept/c": "gamma" };
export const maxFileBytes = 40;

/** A missing path, files, directories, a path below a file, the root, and an illegal path. */
const paths = ["/new", "/note", "/docs/a", "/docs", "/docs/deep", "/note/x", "/", "/a*b"];
/**
 * A path without parents, another spelling, a path at a mount point and one above it, a relative path, and a value that
 * is not a text.
 */
const oddPaths = ["/far/new", "//docs/./a/", "/mounted/here", "/mounted", "note", 5];

const upper = (text: string): string => text.toUpperCase();
const same = (text: string): string => text;
const long = (): string => "x".repeat(maxFileBytes + 1);
const failing = (): string => {
  throw new RangeError("the change failed");
};
const surrogate = "\uD800";

type Verb = Exclude<keyof Memory, "address" | "paths" | "rights" | "history" | "proposals">;

/** A call of the memory, with any arguments. */
function call(verb: Verb, ...args: unknown[]): Call {
  const shown = args.map((arg) => (typeof arg === "function" ? arg.name : JSON.stringify(arg)));
  return {
    title: `${verb}(${shown.join(", ")})`,
    path: args.find((arg): arg is string => typeof arg === "string" && /^\/./.test(arg)),
    run: ({ memory }) => (memory[verb] as (...given: unknown[]) => unknown).apply(memory, args),
  };
}

const reads = (path: unknown): Call[] => [
  call("read", path),
  call("list", path),
  call("stat", path),
  call("search", "gamma alpha", { path }),
  call("grep", "a", { path }),
];

const changes = (path: unknown): Call[] => [
  call("append", path, "x"),
  call("update", path, "one", "1"),
  call("write", path, "x"),
  call("write", path, "x", { ifExists: "fail" }),
  call("write", path, "x", { ifMissing: "fail" }),
  call("edit", path, upper),
  call("delete", path),
  call("delete", path, { ifDirectory: "fail" }),
  call("rename", path, "/moved"),
  call("rename", "/note", path),
];

const whole = [
  call("list"),
  call("list", ""),
  call("snapshot"),
  call("outline"),
  call("outline", { maxContentBytes: 1000 }),
  call("outline", { maxContentBytes: 5, leadChars: 2 }),
  call("search", "nothing"),
  call("search", "the"),
  call("grep", "ALPHA", { ignoreCase: true }),
];

const changesOfTexts = [
  call("append", "/note", ""),
  call("append", "/new", ""),
  call("append", "/docs/deep/b", "x"),
  call("append", "/docs/deep/new", "x"),
  call("update", "/note", "none", "1"),
  call("update", "/note", "o", "oo"),
  call("update", "/note", "one", "one"),
  call("update", "/docs/deep/b", "beta", "x"),
  call("write", "/note", "one\ntwo"),
  call("write", "/docs/deep/b", "x"),
  call("edit", "/note", same),
  call("edit", "/note", failing),
];

const moves = [
  call("rename", "/docs", "/note"),
  call("rename", "/docs", "/kept"),
  call("rename", "/docs", "/docs"),
  call("rename", "/docs", "/docs/deep/below"),
  call("rename", "/docs", "/far/away"),
  call("rename", "/docs/deep", "/deep"),
  call("rename", "/kept", "/docs/deep/kept"),
  call("rename", "/docs/a", "/docs/z"),
  call("rename", "/docs/a", "/note/z"),
  call("rename", "/new", "/note"),
  call("delete", "/docs/deep/b"),
];

const tooLarge = [
  call("append", "/note", "x".repeat(35)),
  call("append", "/new", "x".repeat(41)),
  call("update", "/note", "o", "x".repeat(20)),
  call("update", "/note", "none", "x".repeat(41)),
  call("write", "/new", "é".repeat(21)),
  call("write", "/docs", "x".repeat(41)),
  call("edit", "/note", long),
  call("edit", "/new", long),
];

const badArguments = [
  call("append", "/note", 5),
  call("append", "/note", null),
  call("append", "/note", surrogate),
  call("update", "/note", "", "x"),
  call("update", "/note", 5, "x"),
  call("update", "/note", "one", undefined),
  call("write", "/note", undefined),
  call("write", "/note", surrogate),
  call("write", "/note", "x", { ifExists: "ask" }),
  call("write", "/note", "x", { other: true }),
  call("edit", "/note", 5),
  call("delete", "/note", { ifDirectory: "ask" }),
  call("rename", "/note", undefined),
  call("outline", { leadChars: -1 }),
  call("search", ""),
  call("search", 5),
  call("search", "a", { limit: 0 }),
  call("grep", ""),
  call("grep", "a", { other: true }),
];

export const readCalls: Call[] = [...[...paths, ...oddPaths].flatMap(reads), ...whole];
export const changeCalls: Call[] = [...paths.flatMap(changes), ...changesOfTexts, ...moves];
export const oddCalls: Call[] = [...oddPaths.flatMap(changes), ...tooLarge, ...badArguments];

/** A call of the history, if one is kept. `recordedBeginning` creates the versions. */
function recorded(title: string, run: (history: MemoryHistory, version: (number: number) => string) => unknown): Call {
  return {
    title: `history.${title}`,
    run: ({ memory, versions }) => {
      if (memory.history === null) return "no history";
      return run(memory.history, (number) => versions[number - 1] ?? "none");
    },
  };
}

/** The same for a call that only reads the history. */
const readsHistory = (...args: Parameters<typeof recorded>): Call => ({ ...recorded(...args), reads: true });

/** Makes the changes that precede the calls of the history, in directories that every backend has. */
export async function recordedBeginning(memory: Memory): Promise<void> {
  if (memory.history === null) return;
  const run = memory.with({ actor: { runId: "r", userId: "ada" } });
  await memory.write("/docs/a", "one\ntwo");
  await run.append("/docs/a", "three");
  await run.write("/docs/deep/b", "beta");
  await memory.update("/docs/a", "two", "2");
  await memory.write("/docs/c", "gamma");
  await memory.rename("/docs/c", "/docs/d");
  await memory.delete("/docs/d");
}

export const historyCalls: Call[] = [
  readsHistory("list()", (history) => history.list()),
  readsHistory('list({ path: "/docs/a" })', (history) => history.list({ path: "/docs/a" })),
  readsHistory('list({ path: "/docs/d", limit: 2 })', (history) => history.list({ path: "/docs/d", limit: 2 })),
  readsHistory('list({ actor: { runId: "r" } })', (history) => history.list({ actor: { runId: "r" } })),
  readsHistory('list({ operation: "deleted" })', (history) => history.list({ operation: "deleted" })),
  readsHistory("list({ limit: 0 })", (history) => history.list({ limit: 0 })),
  readsHistory('list({ path: "a" })', (history) => history.list({ path: "a" })),
  readsHistory("read(2)", (history, version) => history.read(version(2))),
  readsHistory("read(7)", (history, version) => history.read(version(7))),
  readsHistory("read of no version", (history) => history.read("none")),
  readsHistory("read of a number", (history) => history.read(5 as never)),
  readsHistory("at(3)", (history, version) => history.at(version(3))),
  readsHistory("at of no version", (history) => history.at("none")),
  readsHistory("diff(1, 2)", (history, version) => history.diff(version(1), version(2))),
  readsHistory("diff(1)", (history, version) => history.diff(version(1))),
  readsHistory("diff(1, 1)", (history, version) => history.diff(version(1), version(1))),
  readsHistory("diff(1, 3)", (history, version) => history.diff(version(1), version(3))),
  readsHistory("diff of no version", (history) => history.diff("none")),
  ...["/docs/a", "/docs", "/docs/d", "/a*b"].map((path) =>
    readsHistory(`blame("${path}")`, (history) => history.blame(path)),
  ),
  recorded("revert /docs/a to 1", (history, version) => history.revert({ path: "/docs/a", to: version(1) })),
  recorded("revert /docs/a to 4", (history, version) => history.revert({ path: "/docs/a", to: version(4) })),
  recorded("revert /docs/d to 6", (history, version) => history.revert({ path: "/docs/d", to: version(6) })),
  recorded("revert /docs to 5", (history, version) => history.revert({ path: "/docs", to: version(5) })),
  recorded("revert /docs to no version", (history) => history.revert({ path: "/docs", to: "none" })),
  recorded("revert the run", (history) => history.revert({ runId: "r" })),
  recorded("revert the run, forced", (history) => history.revert({ runId: "r" }, { force: true })),
  recorded("revert no run", (history) => history.revert({ runId: "none" })),
  recorded("revert nothing", (history) => history.revert({} as never)),
  recorded("redact /docs/a", (history) => history.redact({ path: "/docs/a" })),
  recorded("redact /docs", (history) => history.redact({ path: "/docs" })),
  recorded("redact a path of no version", (history) => history.redact({ path: "/none" })),
  recorded("redact nothing", (history) => history.redact({} as never)),
  recorded("redact /docs/a, then list", async (history) => {
    await history.redact({ path: "/docs/a" });
    return history.list({ path: "/docs/a" });
  }),
];

const ada = { by: { userId: "ada" } };

/** A decision of a person about a proposed change. */
function decided(
  change: [title: string, run: (memory: Memory) => Promise<unknown>],
  decision: [title: string, run: (proposals: MemoryProposals, id: string, free: Memory) => unknown],
): Call {
  return {
    title: `proposed ${change[0]}: ${decision[0]}`,
    run: async ({ memory, free }) => {
      const { proposals } = memory;
      if (!proposals) return "no proposals";
      const error = await change[1](policies["propose"]?.(free) ?? free).then(
        () => null,
        (refusal: { proposal?: string }) => refusal,
      );
      return decision[1](proposals, error?.proposal ?? "none", free);
    },
  };
}

const append: Parameters<typeof decided>[0] = ["append", (memory) => memory.append("/note", "x")];
const edit: Parameters<typeof decided>[0] = ["edit", (memory) => memory.edit("/note", upper)];
const create: Parameters<typeof decided>[0] = ["write", (memory) => memory.write("/far/new", "x")];
const remove: Parameters<typeof decided>[0] = ["delete", (memory) => memory.delete("/docs")];
const move: Parameters<typeof decided>[0] = ["rename", (memory) => memory.rename("/docs", "/far/docs")];
const nothing: Parameters<typeof decided>[0] = ["nothing", (memory) => memory.delete("/new")];

const approve: Parameters<typeof decided>[1] = ["approve", (proposals, id) => proposals.approve(id, ada)];
const reject: Parameters<typeof decided>[1] = ["reject", (proposals, id) => proposals.reject(id, ada)];

export const proposalCalls: Call[] = [
  ...[append, edit, create, remove, move, nothing].map((change) => decided(change, approve)),
  decided(append, reject),
  decided(append, ["list", (proposals) => proposals.list()]),
  decided(append, ["list the rejected", (proposals) => proposals.list({ status: "rejected" })]),
  decided(remove, ["get", (proposals, id) => proposals.get(id)]),
  decided(nothing, ["get of none", (proposals, id) => proposals.get(id)]),
  decided(append, ["get of a number", (proposals) => proposals.get(5 as never)]),
  decided(append, [
    "approve twice",
    async (proposals, id) => {
      await proposals.approve(id, ada);
      return proposals.approve(id, ada);
    },
  ]),
  decided(append, [
    "reject, then approve",
    async (proposals, id) => {
      await proposals.reject(id, { ...ada, reason: "no" });
      return proposals.approve(id, { by: { userId: "bob" } });
    },
  ]),
  decided(append, ["approve edited", (proposals, id) => proposals.approve(id, { ...ada, content: "y" })]),
  decided(append, ["approve too large", (proposals, id) => proposals.approve(id, { ...ada, content: long() })]),
  decided(remove, ["approve edited", (proposals, id) => proposals.approve(id, { ...ada, content: "y" })]),
  ...[append, remove, move].map((change) =>
    decided(change, [
      "approve after another change",
      async (proposals, id, free) => {
        await free.write("/note", "changed");
        await free.write("/docs/a", "changed");
        return proposals.approve(id, ada);
      },
    ]),
  ),
  decided(append, ["approve by nobody", (proposals, id) => proposals.approve(id, {} as never)]),
];
