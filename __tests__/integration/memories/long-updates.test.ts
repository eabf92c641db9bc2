import { describe, expect, it } from "@jest/globals";
import { MongoClient } from "mongodb";
import { type Memory, MongoMemoryStore } from "../../../src/index.js";
import { freshAddress } from "../../helpers/memory-case.js";
import { commandsOf } from "../../helpers/commands-of.js";
import { testDatabase } from "../../helpers/test-database.js";
import { useClient } from "../../helpers/use-client.js";

const { uri, name } = testDatabase();
const client = useClient(new MongoClient(uri, { monitorCommands: true }));
const store = new MongoMemoryStore({ client, dbName: name });

async function createMemory(text: string): Promise<Memory> {
  const memory = store.memory(freshAddress());
  await memory.write("/notes", text);
  return memory;
}

const commandNames = async (run: () => Promise<unknown>): Promise<string[]> =>
  (await commandsOf(client, run)).map(({ commandName }) => commandName);

describe("an update of a long text by a long one", () => {
  const text = "one two ".repeat(100_000);
  const [long, next] = ["one two ".repeat(4), "three  "];

  it("is searched for by the client: the server refuses in one command, answers the text in a second, and changes in a third", async () => {
    const memory = await createMemory(text);
    expect(await commandNames(() => memory.update("/notes", long, next))).toHaveLength(3);
    expect(await memory.read("/notes")).toBe(text.replaceAll(long, next));
  });

  it("is one command where the server compares at most 20 million bytes, however long either text is", async () => {
    const memory = await createMemory(text);
    expect(await commandNames(() => memory.update("/notes", "one two one two ", next))).toHaveLength(1);
    await memory.write("/notes", text);
    expect(await commandNames(() => memory.update("/notes", text, next))).toHaveLength(1);
    expect(await memory.read("/notes")).toBe(next);
    expect(await commandNames(() => memory.update("/notes", text, next))).toHaveLength(1);
  });

  it("changes nothing where there is no occurrence", async () => {
    const memory = await createMemory(text);
    const before = await memory.snapshot();
    expect(await memory.update("/notes", `${long}!`, next)).toBe(0);
    expect(await memory.snapshot()).toEqual(before);
  });

  it("is refused where the file would be too large", async () => {
    const memory = await createMemory(text);
    await expect(memory.update("/notes", long, "x".repeat(50))).rejects.toMatchObject({ code: "EFBIG" });
    expect(await memory.read("/notes")).toBe(text);
  });

  it("counts a file in which letters take several bytes by its bytes", async () => {
    const memory = await createMemory("é".repeat(300_000));
    expect(await commandNames(() => memory.update("/notes", `${"é".repeat(20)}!`, next))).toHaveLength(2);
    expect(await memory.update("/notes", "é".repeat(100), "e".repeat(100))).toBe(3000);
    expect(await memory.read("/notes")).toBe("e".repeat(300_000));
  });

  it("loses no other update of the same time, in this process or another", async () => {
    const memory = await createMemory(text);
    const marks = Array.from({ length: 8 }, (_, index) => `<mark ${index}>`);
    const lines = marks.map((mark) => `${mark} ${"x".repeat(40)}`);
    await memory.append("/notes", lines.join("\n"));
    const other = new MongoMemoryStore({ client: useClient(new MongoClient(uri)), dbName: name }).memory(
      memory.address,
    );
    await Promise.all(
      lines.map((line, index) => (index % 2 === 0 ? memory : other).update("/notes", line, `done ${index}`)),
    );
    const done = (await memory.read("/notes")).slice(text.length).trim().split("\n");
    expect(done).toEqual(marks.map((_, index) => `done ${index}`));
  });
});
