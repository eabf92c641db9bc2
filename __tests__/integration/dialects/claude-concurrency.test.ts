import { describe, expect, it } from "@jest/globals";
import { MongoClient } from "mongodb";
import { createClaudeMemoryTool } from "../../../src/langchain/claude/index.js";
import { type Memory, MongoMemoryStore } from "../../../src/index.js";
import { freshAddress } from "../../helpers/memory-case.js";
import { commandsOf } from "../../helpers/commands-of.js";
import { memoryPairs } from "../../helpers/memory-pairs.js";
import { repetitions } from "../../helpers/repetitions.js";
import { testDatabase } from "../../helpers/test-database.js";
import { useClient } from "../../helpers/use-client.js";

const database = testDatabase();
const client = useClient(new MongoClient(database.uri, { monitorCommands: true }));
const watched = new MongoMemoryStore({ client, dbName: database.name });
const count = repetitions({ usual: 25, long: 50 });
const indices = Array.from({ length: count }, (_, index) => index);

describe.each(memoryPairs(database))(`${count} calls at once on a memory in %s`, (_name, open) => {
  function start(): { memory: Memory; call: (index: number, args: Record<string, unknown>) => Promise<string> } {
    const memories = open();
    const tools = memories.map((memory) => createClaudeMemoryTool(memory));
    return {
      memory: memories[0],
      call: async (index, args) => (await tools[index % 2]?.invoke(args)) ?? "",
    };
  }

  const startingWith = (answers: string[], beginning: string): string[] =>
    answers.filter((answer) => answer.startsWith(beginning));

  it("of str_replace all land", async () => {
    const { memory, call } = start();
    await memory.write("/f", indices.map((index) => `<${index}>\n`).join(""));
    const answers = await Promise.all(
      indices.map((index) =>
        call(index, { command: "str_replace", path: "/memories/f", old_str: `<${index}>`, new_str: `done ${index}` }),
      ),
    );
    expect(startingWith(answers, "The memory file has been edited.")).toHaveLength(count);
    expect(await memory.read("/f")).toBe(indices.map((index) => `done ${index}\n`).join(""));
  });

  it("of insert all land, once each", async () => {
    const { memory, call } = start();
    await memory.write("/f", "end\n");
    const answers = await Promise.all(
      indices.map((index) =>
        call(index, { command: "insert", path: "/memories/f", insert_line: 0, insert_text: `line ${index}\n` }),
      ),
    );
    expect(answers).toEqual(indices.map(() => "The file /memories/f has been edited."));
    const lines = (await memory.read("/f")).split("\n");
    expect(lines.slice(-2)).toEqual(["end", ""]);
    expect(new Set(lines.slice(0, -2))).toEqual(new Set(indices.map((index) => `line ${index}`)));
    expect(lines).toHaveLength(count + 2);
  });

  it("of rename onto one destination move one file and leave the others", async () => {
    const { memory, call } = start();
    for (const index of indices) await memory.write(`/from/${index}`, `text ${index}`);
    const answers = await Promise.all(
      indices.map((index) =>
        call(index, { command: "rename", old_path: `/memories/from/${index}`, new_path: "/memories/to" }),
      ),
    );
    expect(startingWith(answers, "Successfully renamed")).toHaveLength(1);
    expect(startingWith(answers, "Error: The destination /memories/to already exists")).toHaveLength(count - 1);
    const { files } = await memory.snapshot();
    expect(new Set(files.map((file) => file.content))).toEqual(new Set(indices.map((index) => `text ${index}`)));
    const moved = answers.findIndex((answer) => answer.startsWith("Successfully"));
    expect(await memory.read("/to")).toBe(`text ${moved}`);
  });

  it("of create make one file, with the text of the one that succeeded", async () => {
    const { memory, call } = start();
    const answers = await Promise.all(
      indices.map((index) => call(index, { command: "create", path: "/memories/f", file_text: `text ${index}` })),
    );
    expect(startingWith(answers, "File created successfully at: /memories/f")).toHaveLength(1);
    expect(startingWith(answers, "Error: File /memories/f already exists")).toHaveLength(count - 1);
    const winner = answers.findIndex((answer) => answer.startsWith("File created"));
    expect(await memory.read("/f")).toBe(`text ${winner}`);
  });

  it("of delete and str_replace never both change the same file", async () => {
    const { memory, call } = start();
    for (let round = 0; round < 20; round += 1) {
      await memory.write("/f", "old");
      const [deleted, edited] = await Promise.all([
        call(0, { command: "delete", path: "/memories/f" }),
        call(1, { command: "str_replace", path: "/memories/f", old_str: "old", new_str: "new" }),
      ]);
      expect(deleted).toBe("Successfully deleted /memories/f");
      expect(edited).toMatch(/^(The memory file has been edited|Error: The path \/memories\/f does not exist)/);
      expect(await memory.stat("/f")).toBeNull();
    }
  });
});

describe("server commands", () => {
  const path = "/memories/d/f";
  it.each<[string, number, Record<string, unknown>]>([
    ["view of the root", 1, { command: "view", path: "/memories" }],
    ["view of a directory", 2, { command: "view", path: "/memories/d" }],
    ["view of a file", 1, { command: "view", path, view_range: [1, -1] }],
    ["view of nothing", 1, { command: "view", path: "/memories/none" }],
    ["create", 1, { command: "create", path: "/memories/n/f", file_text: "x" }],
    ["str_replace", 2, { command: "str_replace", path, old_str: "text", new_str: "x" }],
    ["insert", 2, { command: "insert", path, insert_line: 0, insert_text: "x" }],
    ["delete", 1, { command: "delete", path }],
    ["rename of a file", 2, { command: "rename", old_path: path, new_path: "/memories/g" }],
    ["rename of a directory", 2, { command: "rename", old_path: "/memories/d", new_path: "/memories/g" }],
  ])("%s is %d", async (_title, expected, args) => {
    const memory = watched.memory(freshAddress());
    await memory.write("/d/f", "text");
    const events = await commandsOf(client, () => createClaudeMemoryTool(memory).invoke(args));
    expect(events.map((event) => event.commandName)).toHaveLength(expected);
  });
});
