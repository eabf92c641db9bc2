import { randomUUID } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import { MongoClient } from "mongodb";
import { type Memory, MongoMemoryStore } from "../../../src/index.js";
import { freshAddress } from "../../helpers/memory-case.js";
import { commandsOf } from "../../helpers/commands-of.js";
import { testDatabase } from "../../helpers/test-database.js";
import { useClient } from "../../helpers/use-client.js";

const { uri, name: dbName } = testDatabase("replicaSet");
const client = useClient(new MongoClient(uri, { monitorCommands: true }));

/** At most so many commands, with a history and without one. It is what specification sections 4 and 13 promise. */
type Row = [title: string, run: (memory: Memory) => Promise<unknown>, most: number];

const reads: Row[] = [
  ["read", (memory) => memory.read("/notes/today"), 1],
  ["list", (memory) => memory.list("/notes"), 1],
  ["stat of a file", (memory) => memory.stat("/notes/today"), 1],
  ["stat of a directory", (memory) => memory.stat("/notes"), 1],
  ["stat of nothing", (memory) => memory.stat("/none"), 1],
  ["snapshot", (memory) => memory.snapshot(), 1],
  ["outline", (memory) => memory.outline({ maxContentBytes: 100 }), 1],
  ["grep", (memory) => memory.grep("text"), 1],
  ["search", (memory) => memory.search("text"), 2],
];

const made: Row[] = [
  ["append to a file", (memory) => memory.append("/notes/today", "x"), 1],
  ["append that creates", (memory) => memory.append("/notes/new", "x"), 1],
  ["append with missing parents", (memory) => memory.append("/far/away/new", "x"), 1],
  ["update", (memory) => memory.update("/notes/today", "text", "x"), 1],
  ["update without a match", (memory) => memory.update("/notes/today", "none", "x"), 1],
  ["write of a file", (memory) => memory.write("/notes/today", "x"), 1],
  ["write that creates", (memory) => memory.write("/notes/new", "x", { ifExists: "fail" }), 1],
  ["write with missing parents", (memory) => memory.write("/far/away/new", "x"), 1],
  ["edit", (memory) => memory.edit("/notes/today", (text) => `${text}!`), 2],
  ["delete of a file", (memory) => memory.delete("/notes/today"), 1],
  ["delete of a directory", (memory) => memory.delete("/notes"), 1],
  ["delete of everything", (memory) => memory.delete("/"), 1],
  ["delete of nothing", (memory) => memory.delete("/none"), 1],
  ["rename of a file", (memory) => memory.rename("/notes/today", "/moved"), 2],
  ["rename of a directory", (memory) => memory.rename("/notes", "/moved"), 2],
];

const refused: Row[] = [
  ["read of nothing", (memory) => memory.read("/none"), 2],
  ["read of a directory", (memory) => memory.read("/notes"), 2],
  ["list of nothing", (memory) => memory.list("/none"), 2],
  ["list of a file", (memory) => memory.list("/notes/today"), 2],
  ["append to a directory", (memory) => memory.append("/notes", "x"), 2],
  ["append below a file", (memory) => memory.append("/notes/today/x", "x"), 2],
  ["append that is too large", (memory) => memory.append("/notes/today", "x".repeat(99)), 2],
  ["update of nothing", (memory) => memory.update("/none", "a", "b"), 2],
  ["update of a directory", (memory) => memory.update("/notes", "a", "b"), 2],
  ["write of a directory", (memory) => memory.write("/notes", "x"), 2],
  ["write below a file", (memory) => memory.write("/notes/today/x", "x"), 2],
  ["write of what exists", (memory) => memory.write("/notes/today", "x", { ifExists: "fail" }), 2],
  ["write of what is missing", (memory) => memory.write("/none", "x", { ifMissing: "fail" }), 2],
  ["edit of nothing", (memory) => memory.edit("/none", () => "x"), 2],
  ["edit of a directory", (memory) => memory.edit("/notes", () => "x"), 2],
  ["delete of a directory", (memory) => memory.delete("/notes", { ifDirectory: "fail" }), 2],
  ["rename of nothing", (memory) => memory.rename("/none", "/moved"), 2],
  ["rename to what exists", (memory) => memory.rename("/notes", "/other"), 2],
  ["rename to below a file", (memory) => memory.rename("/other", "/notes/today/x"), 2],
];

describe.each([false, true])("commands, history: %s", (history) => {
  const store = new MongoMemoryStore({ client, dbName, history });

  async function countOf(run: Row[1], isRefused: boolean): Promise<number> {
    const memory = store.memory(freshAddress(), { maxFileBytes: 50 });
    for (const path of ["/notes/today", "/other/file"]) await memory.write(path, "text");
    let hasFailed = false;
    const sent = await commandsOf(client, () => run(memory).catch(() => (hasFailed = true)));
    expect(hasFailed).toBe(isRefused);
    return sent.length;
  }

  it.each([...reads, ...made])("%s is made by few", async (_title, run, most) => {
    expect(await countOf(run, false)).toBeLessThanOrEqual(most);
  });

  it.each([
    ["an address", { nodeId: "a" }, { nodeId: "a" }, 7],
    ["a user", { userId: "ada" }, { nodeId: "a", scope: "perUser", userId: "ada" }, 17],
    ["a thread", { threadId: "1" }, { nodeId: "a", scope: "perThread", threadId: "1" }, 17],
  ] as const)("forget of %s is made by few", async (_title, who, address, most) => {
    const memoriesCollection = `memories ${randomUUID()}`;
    const fresh = new MongoMemoryStore({ client, dbName, history, memoriesCollection });
    await fresh.memory(address).write("/notes/today", "text");
    for (const memories of [1, 0]) {
      const sent = await commandsOf(client, async () => expect(await fresh.forget(who)).toMatchObject({ memories }));
      expect(sent.length).toBeLessThanOrEqual(most);
    }
  });

  it.each(refused)("%s is refused by few", async (_title, run, most) => {
    expect(await countOf(run, true)).toBeLessThanOrEqual(most);
  });
});

it("a rename with a history reads no text that it moves", async () => {
  const memory = new MongoMemoryStore({ client, dbName, history: true }).memory(freshAddress());
  await memory.write("/notes/today", "text");
  const [read] = await commandsOf(client, () => memory.rename("/notes", "/moved"));
  expect(read?.commandName).toBe("find");
  expect(Object.keys(Object(read?.command["projection"]))).toContain("texts");
  expect(Object.keys(Object(read?.command["projection"]))).not.toContain("data");
});
