import { describe, expect, it } from "@jest/globals";
import { MongoClient } from "mongodb";
import type { Memory } from "../../../src/core/memory.js";
import { type LayoutName, layoutNames } from "../../../src/mongodb/memories/layouts.js";
import { MongoMemoryStore } from "../../../src/mongodb/store/mongo-memory-store.js";
import { freshAddress } from "../../../src/testing/memory-case.js";
import { commandsOf } from "../../helpers/commands-of.js";
import { testDatabase } from "../../helpers/test-database.js";
import { useClient } from "../../helpers/use-client.js";

const { uri, name: dbName } = testDatabase("replicaSet");
const client = useClient(new MongoClient(uri, { monitorCommands: true }));

/**
 * At most so many commands, in each layout without a history and with one. Of the layout `document`, and of a change of
 * a file that is there, it is what specification sections 4, 13 and 16 promise. Elsewhere less is welcome.
 */
type Most = Record<LayoutName, [withoutHistory: number, withHistory: number]>;
type Row = [title: string, run: (memory: Memory) => Promise<unknown>, most: Most];

/** The same with a history and without one. */
const most = (document: number, files: number, filesWithHistory: number = files): Most => ({
  document: [document, document],
  files: [files, filesWithHistory],
});

const reads: Row[] = [
  ["read", (memory) => memory.read("/notes/today"), most(1, 1)],
  ["readFiles", (memory) => memory.readFiles(["/notes/today", "/none", "/notes"]), most(1, 1)],
  ["list", (memory) => memory.list("/notes"), most(1, 1)],
  ["stat of a file", (memory) => memory.stat("/notes/today"), most(1, 1)],
  ["stat of a directory", (memory) => memory.stat("/notes"), most(1, 2)],
  ["stat of nothing", (memory) => memory.stat("/none"), most(1, 2)],
  ["snapshot", (memory) => memory.snapshot(), most(1, 1)],
  ["outline", (memory) => memory.outline({ maxContentBytes: 100 }), most(1, 2)],
  ["grep", (memory) => memory.grep("text"), most(1, 1)],
  ["search", (memory) => memory.search("text"), most(2, 3)],
];

const made: Row[] = [
  ["append to a file", (memory) => memory.append("/notes/today", "x"), most(1, 1, 4)],
  ["append that creates", (memory) => memory.append("/notes/new", "x"), most(1, 4, 5)],
  ["append with missing parents", (memory) => memory.append("/far/away/new", "x"), most(1, 4, 5)],
  ["update", (memory) => memory.update("/notes/today", "text", "x"), most(1, 1, 4)],
  ["update without a match", (memory) => memory.update("/notes/today", "none", "x"), most(1, 1, 4)],
  ["write of a file", (memory) => memory.write("/notes/today", "x"), most(1, 1, 4)],
  ["write that creates", (memory) => memory.write("/notes/new", "x", { ifExists: "fail" }), most(1, 4, 5)],
  ["write with missing parents", (memory) => memory.write("/far/away/new", "x"), most(1, 4, 5)],
  ["edit", (memory) => memory.edit("/notes/today", (text) => `${text}!`), most(2, 2, 5)],
  ["delete of a file", (memory) => memory.delete("/notes/today"), most(1, 1, 5)],
  ["delete of a directory", (memory) => memory.delete("/notes"), most(1, 8, 7)],
  ["delete of everything", (memory) => memory.delete("/"), most(1, 5, 6)],
  ["delete of nothing", (memory) => memory.delete("/none"), most(1, 3, 2)],
  ["rename of a file", (memory) => memory.rename("/notes/today", "/moved"), most(2, 5, 6)],
  ["rename of a directory", (memory) => memory.rename("/notes", "/moved"), most(2, 11, 8)],
];

const refused: Row[] = [
  ["read of nothing", (memory) => memory.read("/none"), most(2, 3)],
  ["read of a directory", (memory) => memory.read("/notes"), most(2, 3)],
  ["list of nothing", (memory) => memory.list("/none"), most(2, 3)],
  ["list of a file", (memory) => memory.list("/notes/today"), most(2, 3)],
  ["append to a directory", (memory) => memory.append("/notes", "x"), most(2, 3)],
  ["append below a file", (memory) => memory.append("/notes/today/x", "x"), most(2, 3)],
  ["append that is too large", (memory) => memory.append("/notes/today", "x".repeat(99)), most(2, 3)],
  ["update of nothing", (memory) => memory.update("/none", "a", "b"), most(2, 3)],
  ["update of a directory", (memory) => memory.update("/notes", "a", "b"), most(2, 3)],
  ["write of a directory", (memory) => memory.write("/notes", "x"), most(2, 3)],
  ["write below a file", (memory) => memory.write("/notes/today/x", "x"), most(2, 3)],
  ["write of what exists", (memory) => memory.write("/notes/today", "x", { ifExists: "fail" }), most(2, 3)],
  ["write of what is missing", (memory) => memory.write("/none", "x", { ifMissing: "fail" }), most(2, 3)],
  ["edit of nothing", (memory) => memory.edit("/none", () => "x"), most(2, 3)],
  ["edit of a directory", (memory) => memory.edit("/notes", () => "x"), most(2, 3)],
  ["delete of a directory", (memory) => memory.delete("/notes", { ifDirectory: "fail" }), most(2, 3)],
  ["rename of nothing", (memory) => memory.rename("/none", "/moved"), most(2, 3)],
  ["rename to what exists", (memory) => memory.rename("/notes", "/other"), most(2, 4)],
  ["rename to below a file", (memory) => memory.rename("/other", "/notes/today/x"), most(2, 4)],
];

const settings = layoutNames.flatMap((layout) => [false, true].map((history) => ({ layout, history })));

describe.each(settings)("commands of the layout $layout, history: $history", ({ layout, history }) => {
  const store = new MongoMemoryStore({ client, dbName, layout, history });

  async function countOf(run: Row[1], isRefused: boolean): Promise<number> {
    const memory = store.memory(freshAddress(), { maxFileBytes: 50 });
    for (const path of ["/notes/today", "/other/file"]) await memory.write(path, "text");
    let hasFailed = false;
    const sent = await commandsOf(client, () => run(memory).catch(() => (hasFailed = true)));
    expect(hasFailed).toBe(isRefused);
    return sent.length;
  }

  // Requirement: guarantees.one-command-each, guarantees.two-commands-at-most, files.one-command
  it.each([...reads, ...made])("%s is made by few", async (_title, run, { [layout]: bounds }) => {
    expect(await countOf(run, false)).toBeLessThanOrEqual(bounds[history ? 1 : 0]);
  });

  // Requirement: guarantees.one-command-each
  it.each(refused)("%s is refused by few", async (_title, run, { [layout]: bounds }) => {
    expect(await countOf(run, true)).toBeLessThanOrEqual(bounds[history ? 1 : 0]);
  });
});

// Requirement: guarantees.one-command-each
it("a rename with a history reads no text that it moves", async () => {
  const memory = new MongoMemoryStore({ client, dbName, history: true }).memory(freshAddress());
  await memory.write("/notes/today", "text");
  const [read] = await commandsOf(client, () => memory.rename("/notes", "/moved"));
  expect(read?.commandName).toBe("find");
  expect(Object.keys(Object(read?.command["projection"]))).toContain("texts");
  expect(Object.keys(Object(read?.command["projection"]))).not.toContain("data");
});
