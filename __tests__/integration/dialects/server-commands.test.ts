import { describe, expect, it } from "@jest/globals";
import { MongoClient } from "mongodb";
import { DeepAgentsBackend } from "../../../src/deepagents/index.js";
import { type Memory, MongoMemoryStore } from "../../../src/index.js";
import { createClaudeMemoryTool } from "../../../src/langchain/claude/index.js";
import { createJournalTools } from "../../../src/langchain/journal/index.js";
import { createRecordTools } from "../../../src/langchain/records/index.js";
import { commandsOf } from "../../helpers/commands-of.js";
import { freshAddress } from "../../helpers/memory-case.js";
import { testDatabase } from "../../helpers/test-database.js";
import { useClient } from "../../helpers/use-client.js";

const database = testDatabase();
const client = useClient(new MongoClient(database.uri, { monitorCommands: true }));
const store = new MongoMemoryStore({ client, dbName: database.name });

const path = "/memories/d/f.md";
const claude = (args: object) => (memory: Memory) => createClaudeMemoryTool(memory).invoke(args);
const journal = (name: string, args: object) => (memory: Memory) =>
  createJournalTools(memory)
    .find((tool) => tool.name === name)
    ?.invoke(args);
const records = (name: string, args: object) => (memory: Memory) =>
  createRecordTools(memory)
    .find((tool) => tool.name === name)
    ?.invoke(args);
const deep = (call: (backend: DeepAgentsBackend) => unknown) => (memory: Memory) => call(new DeepAgentsBackend(memory));

// A call that is one command is atomic: nothing can come between its check and its change.
describe("the commands that the server gets", () => {
  it.each<[call: string, commands: number, run: (memory: Memory) => unknown]>([
    ["Claude's view of the root", 1, claude({ command: "view", path: "/memories" })],
    ["Claude's view of a directory", 2, claude({ command: "view", path: "/memories/d" })],
    ["Claude's view of a file", 1, claude({ command: "view", path, view_range: [1, -1] })],
    ["Claude's view of nothing", 1, claude({ command: "view", path: "/memories/none" })],
    ["Claude's create", 1, claude({ command: "create", path: "/memories/n/f", file_text: "x" })],
    ["Claude's create of what exists", 2, claude({ command: "create", path, file_text: "x" })],
    ["Claude's str_replace", 2, claude({ command: "str_replace", path, old_str: "text", new_str: "x" })],
    ["Claude's insert", 2, claude({ command: "insert", path, insert_line: 0, insert_text: "x" })],
    ["Claude's delete", 1, claude({ command: "delete", path })],
    ["Claude's rename", 2, claude({ command: "rename", old_path: path, new_path: "/memories/new" })],
    ["memory_write", 3, journal("memory_write", { key: "b", content: "x" })],
    ["memory_update", 2, journal("memory_update", { key: "a", content: "y" })],
    ["memory_read", 1, journal("memory_read", { key: "a" })],
    ["memory_search", 1, journal("memory_search", { query: "x" })],
    ["add_memory", 1, records("add_memory", { path: "new/one", content: "x" })],
    ["add_memory of what exists", 2, records("add_memory", { path: "d/f.md", content: "x" })],
    ["replace_memory", 1, records("replace_memory", { path: "d/f.md", content: "x" })],
    ["replace_memory of nothing", 2, records("replace_memory", { path: "none", content: "x" })],
    ["drop_memory", 1, records("drop_memory", { path: "d/f.md" })],
    ["drop_memory of nothing", 1, records("drop_memory", { path: "none" })],
    ["drop_memory of a folder", 2, records("drop_memory", { path: "d" })],
    ["clear_memory", 1, records("clear_memory", {})],
    ["a record's bad path", 0, records("drop_memory", { path: "../x" })],
    ["deepagents' ls", 1, deep((backend) => backend.ls("/"))],
    ["deepagents' read", 1, deep((backend) => backend.read("/d/f.md"))],
    ["deepagents' readRaw", 1, deep((backend) => backend.readRaw("/d/f.md"))],
    ["deepagents' write", 1, deep((backend) => backend.write("/d/new.md", "x"))],
    ["deepagents' edit", 2, deep((backend) => backend.edit("/d/f.md", "text", "x"))],
    ["deepagents' grep", 1, deep((backend) => backend.grep("text"))],
    ["deepagents' glob", 1, deep((backend) => backend.glob("**"))],
    ["deepagents' delete", 1, deep((backend) => backend.delete("/d"))],
    ["deepagents' downloadFiles", 1, deep((backend) => backend.downloadFiles(["/d/f.md", "/MEMORY.md", "/none"]))],
    ["deepagents' uploadFiles", 1, deep((backend) => backend.uploadFiles([["/u", new Uint8Array()]]))],
  ])("for %s are %d", async (_call, count, run) => {
    const memory = store.memory(freshAddress());
    await memory.write("/d/f.md", "text");
    await memory.write("/MEMORY.md", "### a\n\nx\n");
    const events = await commandsOf(client, async () => run(memory));
    expect(events.map(({ commandName }) => commandName)).toHaveLength(count);
  });
});
