import type { Memory, MongoMemoryStore } from "../../src/index.js";

/** Reads the first element of an iterable. */
async function readFirst(iterable: AsyncIterable<unknown>): Promise<unknown> {
  for await (const element of iterable) return element;
  return undefined;
}

const by = { userId: "ada" };

/** Every call of a memory that reads it, in a store with a history. */
export const memoryReads: Record<string, (memory: Memory) => Promise<unknown>> = {
  read: (memory) => memory.read("/a"),
  list: (memory) => memory.list(),
  stat: (memory) => memory.stat("/a"),
  snapshot: (memory) => memory.snapshot(),
  outline: (memory) => memory.outline(),
  search: (memory) => memory.search("word"),
  grep: (memory) => memory.grep("word"),
  "history.list": (memory) => readFirst(getHistory(memory).list()),
  "history.read": (memory) => getHistory(memory).read("1"),
  "history.at": (memory) => getHistory(memory).at("1"),
  "history.diff": (memory) => getHistory(memory).diff("1"),
  "history.blame": (memory) => getHistory(memory).blame("/a"),
  "history.findText": (memory) => getHistory(memory).findText("word"),
  "proposals.list": (memory) => readFirst(getProposals(memory).list()),
  "proposals.get": (memory) => getProposals(memory).get("missing"),
};

/** Every call of a memory that changes it. */
export const memoryChanges: Record<string, (memory: Memory) => Promise<unknown>> = {
  append: (memory) => memory.append("/a", "word"),
  update: (memory) => memory.update("/a", "word", "words"),
  write: (memory) => memory.write("/a", "word"),
  edit: (memory) => memory.edit("/a", (text) => `${text}s`),
  rename: (memory) => memory.rename("/a", "/b"),
  delete: (memory) => memory.delete("/a"),
  "history.revert": (memory) => getHistory(memory).revert({ runId: "missing" }),
  "history.redact": (memory) => getHistory(memory).redact({ text: "word" }),
  "proposals.approve": (memory) => getProposals(memory).approve("missing", { by }),
  "proposals.reject": (memory) => getProposals(memory).reject("missing", { by }),
};

/** Every call of a store beside those of its memories. */
export const storeCalls: Record<string, (store: MongoMemoryStore) => Promise<unknown>> = {
  start: (store) => store.start(),
  listMemories: (store) => readFirst(store.listMemories()),
  listProposals: (store) => readFirst(store.listProposals()),
  "forget of a memory": (store) => store.forget({ nodeId: "a" }),
  "forget of a user": (store) => store.forget(by),
  sweepExpired: (store) => store.sweepExpired(),
  get: (store) => store.get(["a"], "k"),
  search: (store) => store.search(["a"]),
  listNamespaces: (store) => store.listNamespaces(),
  put: (store) => store.put(["a"], "k", {}),
  delete: (store) => store.delete(["a"], "k"),
  "get of a file": (store) => store.get(["memory", "a", "global"], "/a"),
  "search of files": (store) => store.search(["memory"]),
  "put of a file": (store) => store.put(["memory", "a", "global"], "/a", { content: "word" }),
  batch: (store) => store.batch([{ namespace: ["a"], key: "k", value: {} }]),
  "delete of a file": (store) => store.delete(["memory", "a", "global"], "/a"),
};

export function getHistory({ history }: Memory): NonNullable<Memory["history"]> {
  if (history === null) throw new Error("the memory has no history");
  return history;
}

export function getProposals({ proposals }: Memory): NonNullable<Memory["proposals"]> {
  if (proposals === null) throw new Error("the memory has no proposals");
  return proposals;
}
