import { describe, expect, it } from "@jest/globals";
import { type Memory, MongoMemoryStore } from "../../../src/index.js";
import { freshAddress, refuses } from "../../helpers/memory-case.js";
import { getHistory } from "../../helpers/store-calls.js";
import { testDatabase } from "../../helpers/test-database.js";

const largestBytes = 7_500_000;
const servers = { standalone: testDatabase("standalone"), "replica set": testDatabase("replicaSet") };

/** Texts of two letters have no part in common, so a history keeps the whole text before. */
const textOf = (letter: string, sizeBytes = largestBytes): string => letter.repeat(sizeBytes);

/** Compares texts without printing them. */
async function expectText(memory: Memory, path: string, text: string): Promise<void> {
  expect((await memory.read(path)) === text).toBe(true);
}

const changes: [title: string, before: string, change: (memory: Memory) => Promise<unknown>, after: string][] = [
  [
    "an append",
    textOf("a", largestBytes - 5),
    (memory) => memory.append("/a", "more"),
    `${textOf("a", largestBytes - 5)}\nmore`,
  ],
  [
    "an edit",
    textOf("a"),
    (memory) => memory.edit("/a", (text) => `b${text.slice(1)}`),
    `b${textOf("a", largestBytes - 1)}`,
  ],
  ["another text", textOf("a"), (memory) => memory.write("/a", textOf("b")), textOf("b")],
  [
    "a new name and another text",
    textOf("a"),
    async (memory) => {
      await memory.rename("/a", "/b");
      await memory.rename("/b", "/a");
      await memory.write("/a", textOf("b"));
    },
    textOf("b"),
  ],
];

// Other tests have files of this size on a replica set without a history.
describe.each([
  ["standalone", true],
  ["replica set", true],
] as const)("a file of the largest size, on a %s, history: %s,", (server, history) => {
  const { client, name: dbName, db } = servers[server];
  const memoriesCollection = `memories ${history}`;
  const store = new MongoMemoryStore({ client, dbName, history, memoriesCollection });
  const open = (): Memory => store.memory(freshAddress(), { maxFileBytes: largestBytes });

  it.each(changes)("takes %s", async (_title, before, change, after) => {
    const memory = open();
    await memory.write("/a", before);
    await change(memory);
    await expectText(memory, "/a", after);
  });

  it("takes no more: EFBIG with the limit", async () => {
    const memory = open();
    await memory.write("/a", textOf("a"));
    const tooLarge =
      "EFBIG: the file would be 7500001 bytes, over its limit of 7500000 bytes; split it into several files";
    await refuses(memory.write("/a", textOf("b", largestBytes + 1)), "EFBIG", tooLarge);
    await refuses(
      memory.edit("/a", (text) => `${text}b`),
      "EFBIG",
      tooLarge,
    );
    await refuses(memory.append("/a", "b"), "EFBIG");
    await expectText(memory, "/a", textOf("a"));
  });

  it("that is larger, because a program without the limit wrote it, can be read, renamed and deleted", async () => {
    const memory = open();
    await memory.write("/a", textOf("a", 6_000_000));
    const doubled = [{ $set: { "data.a": { $concat: ["$data.a", "$data.a"] } } }];
    await db.collection(memoriesCollection).updateOne({ ...memory.address }, doubled);
    await expectText(memory, "/a", textOf("a", 12_000_000));
    await refuses(memory.append("/a", "more"), "EFBIG");
    await memory.write("/b", "text");
    await memory.rename("/a", "/c");
    await expectText(memory, "/c", textOf("a", 12_000_000));
    expect(await memory.delete("/c")).toEqual({ files: 1, dirs: 0 });
  });

  if (server === "replica set")
    it("takes another text beside other files, however many", async () => {
      const memory = open();
      await memory.write("/a", textOf("a"));
      // The first one begins another page, so the others would stay in the page of the large file.
      for (const name of ["z", "b", "c", "d", "e", "f", "g"]) await memory.write(`/${name}`, textOf("x", 900_000));
      await memory.write("/a", textOf("b"));
      await expectText(memory, "/a", textOf("b"));
    });

  if (history)
    it("goes back to an earlier text", async () => {
      const memory = open();
      await memory.write("/a", textOf("a"));
      await memory.write("/a", textOf("b"));
      await getHistory(memory).revert({ path: "/a", to: "1" });
      await expectText(memory, "/a", textOf("a"));
    });
});

it("no memory allows a larger file, and the error says the reason", () => {
  const { client, name: dbName } = servers.standalone;
  const store = new MongoMemoryStore({ client, dbName });
  expect(() => store.memory(freshAddress(), { maxFileBytes: largestBytes + 1 })).toThrow(
    new TypeError(
      "invalid MemoryOptions: maxFileBytes: must be at most 7500000, because a change of a file and the text that it " +
        "replaces go into one document of MongoDB (given 7500001)",
    ),
  );
});
