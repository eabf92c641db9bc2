import { describe, expect, it } from "@jest/globals";
import * as fc from "fast-check";
import { type Document, MongoClient, Timestamp } from "mongodb";
import type { Memory } from "../../../src/core/memory.js";
import { layoutNames } from "../../../src/mongodb/memories/layouts.js";
import { MongoMemoryStore } from "../../../src/mongodb/store/mongo-memory-store.js";
import type { MongoMemoryStoreOptions } from "../../../src/mongodb/store/store-options.js";
import { freshAddress } from "../../../src/testing/memory-case.js";
import { commandsOf } from "../../helpers/commands-of.js";
import { examined } from "../../helpers/examined.js";
import { repetitions } from "../../helpers/repetitions.js";
import { testDatabase } from "../../helpers/test-database.js";
import { until } from "../../helpers/until-answers.js";
import { useClient } from "../../helpers/use-client.js";

const { db, name: dbName, uri } = testDatabase("replicaSet");
const client = useClient(new MongoClient(uri, { monitorCommands: true }));
const otherClient = useClient(new MongoClient(uri));
const documents = db.collection<Document & { _id: string }>("memories_files");

function storeWith(options: Partial<MongoMemoryStoreOptions> = {}): MongoMemoryStore {
  return new MongoMemoryStore({ client, dbName, layout: "files", ...options });
}

/** As another process has it: each store has indexes of its own. */
function otherStore(options: Partial<MongoMemoryStoreOptions> = {}): MongoMemoryStore {
  return storeWith({ client: otherClient, ...options });
}

const store = storeWith();

async function pathsWith(memory: Memory, query: string): Promise<string[]> {
  return (await memory.search(query)).map(({ path }) => path);
}

/** A memory of so many files, of which a search has been made. */
async function searched(count: number): Promise<{ memory: Memory; other: Memory }> {
  const address = freshAddress();
  const memory = store.memory(address);
  await memory.write("/d/0", "zebra 0");
  const at = new Date();
  const file = (index: number): Document & { _id: string } => {
    const text = `zebra ${index}`;
    return {
      _id: `g\u0001${address.nodeId}\0/d\0${index}`,
      kind: "file",
      text,
      textId: `text ${index}`,
      sizeBytes: text.length,
      createdAt: at,
      updatedAt: at,
    };
  };
  await documents.insertMany(Array.from({ length: count - 1 }, (_, index) => file(index + 1)));
  await memory.search("zebra");
  return { memory, other: otherStore().memory(address) };
}

describe("a search of 1,000 files of their own", () => {
  // Requirement: search.only-changes-are-read
  it("reads the index alone where nothing has changed, and else the texts that have", async () => {
    const { memory, other } = await searched(1000);
    // The root, its directory, and where the range ends.
    const listed = { op: "query", command: "find", keysExamined: expect.closeTo(1002, -1), docsExamined: 0 };
    expect(await examined(db, "memories_files", () => memory.search("zebra"))).toEqual([listed]);
    await other.write("/d/7", "tiger");
    await other.write("/e/new", "tiger cub");
    await other.delete("/d/8");
    const sent = await examined(db, "memories_files", async () =>
      expect(await pathsWith(memory, "tiger")).toEqual(["/d/7", "/e/new"]),
    );
    expect(sent).toEqual([listed, { op: "query", command: "find", keysExamined: expect.any(Number), docsExamined: 2 }]);
  });

  // Requirement: search.only-changes-are-read
  it("reads again what has moved, and texts that another program has made without an id", async () => {
    const { memory, other } = await searched(3);
    await other.rename("/d", "/moved/here");
    expect((await pathsWith(memory, "zebra")).toSorted()).toEqual(["/moved/here/0", "/moved/here/1", "/moved/here/2"]);
    const filter = { _id: { $regex: `${memory.address.nodeId}.*\\x001$` } };
    await documents.updateOne(filter, { $set: { text: "a lion" }, $unset: { textId: 1 } });
    expect(await pathsWith(memory, "lion")).toEqual(["/moved/here/1"]);
    await documents.updateOne(filter, { $set: { text: "a wolf" } });
    expect([await pathsWith(memory, "lion"), await pathsWith(memory, "wolf")]).toEqual([[], ["/moved/here/1"]]);
  });

  // Requirement: search.one-moment
  it("reads the texts as they were at the moment of the list", async () => {
    const { memory, other } = await searched(3);
    await other.write("/d/1", "tiger");
    const sent = await commandsOf(client, () => memory.search("tiger"));
    const atClusterTime = expect.any(Timestamp);
    expect(sent.map(({ command }) => command["readConcern"] as unknown)).toEqual([
      { level: "snapshot" },
      { level: "snapshot", atClusterTime },
    ]);
  });
});

describe.each([{ history: false }, { history: true }])(
  "a search of files of their own, with history $history, sees in the same millisecond",
  ({ history }) => {
    const changes: [string, (memory: Memory) => Promise<unknown>][] = [
      ["a write of as many bytes", (memory) => memory.write("/d/a", "tiger")],
      ["an update of as many bytes", (memory) => memory.update("/d/a", "zebra", "tiger")],
      ["an edit of as many bytes", (memory) => memory.edit("/d/a", () => "tiger")],
      ["an append", (memory) => memory.append("/d/a", "tiger")],
      [
        "a delete and a creation",
        async (memory) => {
          await memory.delete("/d/a");
          await memory.write("/d/a", "tiger");
        },
      ],
      [
        "a delete of the directory and a creation",
        async (memory) => {
          await memory.delete("/d");
          await memory.append("/d/a", "tiger");
        },
      ],
      [
        "a rename to the place of another file",
        async (memory) => {
          await memory.rename("/d/a", "/e");
          await memory.rename("/other", "/d/a");
        },
      ],
    ];

    // Requirement: search.fresh
    it.each(changes)("%s", async (_name, change) => {
      const address = freshAddress();
      const options = { history, clock: () => new Date(0) };
      const memory = storeWith(options).memory(address);
      await memory.write("/d/a", "zebra");
      await memory.write("/other", "lynx: tiger");
      expect(await pathsWith(memory, "zebra")).toEqual(["/d/a"]);
      await change(otherStore(options).memory(address));
      const found = await memory.search("zebra tiger");
      expect(found).toContainEqual(expect.objectContaining({ path: "/d/a", text: expect.stringContaining("tiger") }));
      expect(found).toEqual(await otherStore(options).memory(address).search("zebra tiger"));
    });
  },
);

describe.each([
  ...layoutNames.map((layout) => ({ layout, history: false })),
  { layout: "files" as const, history: true },
])("a search of the layout $layout, history $history", (options) => {
  const words = ["zebra", "tiger", "lion", "# wolf", "2026-01-02", "wolf\n", "\n\n"];
  const path = fc
    .array(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 3 })
    .map((names) => `/${names.join("/")}`);
  const text = fc.array(fc.constantFrom(...words), { maxLength: 6 }).map((each) => each.join(" "));
  const change = fc.oneof(
    fc.tuple(path, text).map(
      ([at, content]) =>
        (memory: Memory) =>
          memory.write(at, content),
    ),
    fc.tuple(path, text).map(
      ([at, content]) =>
        (memory: Memory) =>
          memory.append(at, content),
    ),
    fc.tuple(path, path).map(
      ([from, to]) =>
        (memory: Memory) =>
          memory.rename(from, to),
    ),
    fc.tuple(path, fc.constantFrom("tiger", "wolf")).map(
      ([at, word]) =>
        (memory: Memory) =>
          memory.update(at, word, "lion"),
    ),
    path.map((at) => (memory: Memory) => memory.delete(at)),
  );

  // Requirement: search.fresh
  it("finds after any changes what a first search finds, hit for hit", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(change, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 4 }),
        async (rounds) => {
          const address = freshAddress();
          const [warm, other] = [storeWith(options).memory(address), otherStore(options).memory(address)];
          for (const changes of rounds) {
            // A refused one changes nothing.
            for (const [index, make] of changes.entries())
              await make(index % 2 === 0 ? other : warm).catch(() => undefined);
            const cold = otherStore(options).memory(address);
            for (const query of ["zebra lion", "wolf a b"])
              expect(await warm.search(query)).toEqual(await cold.search(query));
          }
        },
      ),
      { numRuns: repetitions({ usual: 6, long: 60 }) },
    );
  });
});

describe("a watch of 1,000 files of their own", () => {
  // Requirement: watch.costs
  it("reads the text alone that has changed", async () => {
    const { memory, other } = await searched(1000);
    const changes = memory.watch({ pollIntervalMs: 3_600_000 });
    await changes.ready;
    const told: string[] = [];
    const listening = (async (): Promise<void> => {
      for await (const { operation, path } of changes) told.push(`${operation} ${path}`);
    })();
    await other.append("/d/5", "first");
    await until(() => told.length === 1);
    const sent = await commandsOf(client, async () => {
      await other.append("/d/7", "more");
      await until(() => told.length === 2);
    });
    await changes.return();
    await listening;
    expect(told).toEqual(["modified /d/5", "modified /d/7"]);
    const named = sent
      .filter(({ commandName }) => commandName === "find")
      .flatMap(({ command }) => ((command["filter"] as Document)["_id"] as { $in?: string[] }).$in ?? []);
    expect(named.map((id) => id.split("\0").at(-1))).toEqual(["7"]);
    expect(sent.filter(({ command }) => "text" in ((command["projection"] ?? {}) as object)).length).toBe(1);
  });
});
