import type { Collection, Document, MongoClient } from "mongodb";
import { MongoMemoryStore } from "../../src/mongodb/store/mongo-memory-store.js";
import type { Memory } from "../../src/core/memory.js";
import { median, measureRound, timed } from "../measuring/measure.js";
import { inDatabase, onServer } from "../measuring/servers.js";

/*
 * What `memoryTextIndex` saves a search, and costs a change. Files as in speed.ts, beside one that the store has made.
 */

const vocabulary = Array.from({ length: 5000 }, (_, index) => `w${index.toString(36)}ord`);
const fileCount = Number(process.argv[2] ?? 100_000);
const insertedAtOnce = 5000;
const rounds = 5;
let creations = 0;

let seed = 1;
/** Rare words and common ones, as in any text. */
function someWord(): string {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
  return vocabulary[Math.floor((seed / 2_147_483_648) ** 3 * vocabulary.length)] ?? "";
}

const someText = (): string =>
  Array.from({ length: 5 }, () => Array.from({ length: 16 }, someWord).join(" ")).join("\n");

const queries = {
  "a word of 10 files": ["walrus"],
  "a word of 10 files, and a common one": ["walrus w0ord"],
  "four words of any text": Array.from({ length: rounds }, () => Array.from({ length: 4 }, someWord).join(" ")),
  "the four commonest words": ["w0ord w1ord w2ord w3ord"],
  "a word of no file": ["zebra"],
};

async function filled(
  client: MongoClient,
  dbName: string,
  memoriesCollection: string,
  memoryTextIndex: boolean,
): Promise<{ store: MongoMemoryStore; memory: Memory }> {
  const store = new MongoMemoryStore({ client, dbName, memoriesCollection, layout: "files", memoryTextIndex });
  const memory = store.memory({ nodeId: "files" });
  await memory.write("/dir-0/file-0", someText());
  const documents: Collection<Document & { _id: string }> = client.db(dbName).collection(`${memoriesCollection}_files`);
  const made = await documents.findOne({ kind: "file" });
  if (made === null) throw new Error("the store has made a file");
  for (let start = 1; start < fileCount; start += insertedAtOnce) {
    await documents.insertMany(
      Array.from({ length: Math.min(insertedAtOnce, fileCount - start) }, (_, index) => {
        const [parent, name] = [`dir-${Math.floor((start + index) / 100)}`, `file-${(start + index) % 100}`];
        const text = someText() + ((start + index) % (fileCount / 10) === 1 ? " walrus" : "");
        return {
          ...made,
          _id: `g\u0001files\0/${parent}\0${name}`,
          pathText: `/${parent}/${name}`,
          text,
          textId: `${start + index}`,
          sizeBytes: text.length,
        };
      }),
    );
  }
  return { store, memory };
}

await onServer("replicaSet", (uri) =>
  inDatabase(uri, {}, async (client, dbName) => {
    const plain = await filled(client, dbName, "plain", false);
    const indexed = await filled(client, dbName, "indexed", true);
    const { storageStats } = (await client
      .db(dbName)
      .collection("indexed_files")
      .aggregate([{ $collStats: { storageStats: {} } }])
      .next()) as { storageStats: Document };
    console.log(
      `${fileCount} files; ${JSON.stringify(storageStats["indexSizes"])}, texts and all ${String(storageStats["size"])} bytes`,
    );
    for (const [what, asked] of Object.entries(queries)) {
      const times: Record<"with" | "without", number[]> = { with: [], without: [] };
      for (let round = 0; round < rounds; round += 1) {
        const query = asked[round % asked.length] ?? "";
        times.with.push(await timed(() => indexed.memory.search(query)));
        if (round < 2) times.without.push(await timed(() => plain.memory.search(query)));
      }
      console.log(
        `${what}: ${median(times.with).toFixed(1)} ms with the index, ${median(times.without).toFixed(0)} ms without`,
      );
    }
    const addition = "one more line of some words";
    const pathAt = (iteration: number): string =>
      `/dir-${(iteration * 7919) % (fileCount / 100)}/file-${iteration % 100}`;
    const changes: Record<string, (memory: Memory, iteration: number) => Promise<unknown>> = {
      append: (memory, iteration) => memory.append(pathAt(iteration), addition),
      write: (memory, iteration) => memory.write(pathAt(iteration), someText()),
      creation: (memory, iteration) => memory.write(`/dir-1/new-${iteration}-${creations++}`, someText()),
    };
    for (const [what, change] of Object.entries(changes)) {
      const samples = [];
      for (let round = 0; round < rounds; round += 1) {
        samples.push(
          await measureRound(
            {
              ours: (at) => change(indexed.memory, round * 100 + at),
              theirs: (at) => change(plain.memory, round * 100 + at),
            },
            100,
          ),
        );
      }
      const [ours, theirs] = [
        median(samples.map(({ oursMs }) => oursMs)),
        median(samples.map(({ theirsMs }) => theirsMs)),
      ];
      console.log(
        `${what}: ${ours.toFixed(2)} ms with the index, ${theirs.toFixed(2)} ms without, ${(ours / theirs).toFixed(2)} times`,
      );
    }
  }),
);
