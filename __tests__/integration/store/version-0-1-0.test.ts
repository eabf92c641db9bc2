import { readFile } from "node:fs/promises";
import { beforeEach, describe, expect, it } from "@jest/globals";
import { BSON, type Db, type Document, type IndexDescription } from "mongodb";
import { MongoMemoryStore } from "../../../src/index.js";
import { cliJson } from "../../helpers/run-cli.js";
import { testDatabase } from "../../helpers/test-database.js";

/** What version 0.1.0 has stored: collections with their indexes and documents, as its own calls made them. */
const stored = BSON.EJSON.parse(await readFile("__tests__/fixtures/version-0.1.0/database.json", "utf8")) as Record<
  "memories" | "items",
  { indexes: (IndexDescription & { name: string })[]; documents: Document[] }
>;

/** An index of words is listed in another form than it is made in. */
const asMade = ({ key, ...index }: IndexDescription): IndexDescription => ({
  ...index,
  key: "_fts" in key ? { text: "text" } : key,
});

describe("a database that version 0.1.0 has written, after `migrate earlier-format`", () => {
  let db: Db;
  let store: MongoMemoryStore;

  beforeEach(async () => {
    const database = testDatabase("standalone");
    db = database.db;
    store = new MongoMemoryStore({ client: database.client, dbName: database.name });
    for (const [name, { indexes, documents }] of Object.entries(stored)) {
      await db.collection(name).createIndexes(indexes.map(asMade));
      await db.collection(name).insertMany(documents);
    }
    await expect(store.start()).rejects.toThrow(/`langgraph-mongo-memory migrate earlier-format`$/);
    await cliJson(["migrate", "earlier-format", "--uri", database.uri, "--db", database.name]);
  });

  const shared = () => store.memory({ nodeId: "assistant" });
  const namesOfIndexes = async (): Promise<(string | undefined)[]> =>
    (await db.collection("memories").indexes()).map(({ name }) => name);

  it("is read", async () => {
    const { files, directories, revision } = await shared().snapshot();
    expect([directories, revision]).toEqual([["/empty", "/notes"], 5]);
    expect(files).toMatchObject([
      { path: "/MEMORY.md", content: "# House rules\nBe brief.\n" },
      {
        path: "/notes/today",
        content: "buy milk\nbuy bread",
        createdAt: new Date("2026-01-05T08:00:00Z"),
        updatedAt: new Date("2026-01-05T08:01:00Z"),
      },
    ]);
    expect(
      await store.memory({ nodeId: "assistant", scope: "perThread", threadId: "ada@example.com" }).read("/profile"),
    ).toBe("Ada is vegetarian. é🧠");
    expect((await store.get(["settings", "ada"], "theme"))?.value).toEqual({ dark: true });
    expect(await store.search(["memory"])).toHaveLength(5);
    expect(await db.collection("memories").find().toArray()).toEqual(
      stored.memories.documents.map(({ _id: key, ...document }) => ({ ...document, _id: expect.any(String), key })),
    );
  });

  it("is changed, and gains the index of memories for each user beside its own", async () => {
    await shared().append("/notes/today", "buy eggs");
    const ada = { nodeId: "assistant", scope: "perUser", userId: "ada@example.com" } as const;
    await Promise.all(Array.from({ length: 5 }, (_, index) => store.memory(ada).append("/profile", String(index))));
    expect(await namesOfIndexes()).toEqual([
      "_id_",
      "uniq_global",
      "uniq_per_thread",
      "uniq_per_user",
      "memories_by_thread",
      "memories_by_user",
      "pages",
    ]);
    expect(await shared().read("/notes/today")).toBe("buy milk\nbuy bread\nbuy eggs");
    expect((await store.memory(ada).read("/profile")).split("\n").toSorted()).toEqual(["0", "1", "2", "3", "4"]);
    expect(await db.collection("memories").countDocuments()).toBe(3);
    expect(await db.collection("memories").findOne({ scope: "perThread" })).toMatchObject({
      key: stored.memories.documents[1]?.["_id"],
      revision: stored.memories.documents[1]?.["revision"],
    });
  });
});
