import { MongoMemoryStore } from "../../src/mongodb/store/mongo-memory-store.js";
import { cachedIndexes } from "../../src/core/search/index-cache.js";
import { median, timed } from "../measuring/measure.js";
import { inDatabase, onServer } from "../measuring/servers.js";

const dims = 1536;
const fileCount = 1000;
const linesOfFile = 5;

let seed = 1;
function someNumber(): number {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
  return seed / 2_147_483_648 - 0.5;
}

/** Answers at once, so that only our own work is measured. */
const someVector = (): number[] => Array.from({ length: dims }, someNumber);
const embeddings = {
  embedDocuments: async (texts: string[]) => texts.map(someVector),
  embedQuery: async () => someVector(),
};
/** A passage each, as it does not go on from the line before. */
const someLine = (): string =>
  `- ${Array.from({ length: 16 }, () => `w${Math.floor((someNumber() + 0.5) * 5000).toString(36)}ord`).join(" ")}`;

await onServer("standalone", (uri) =>
  inDatabase(uri, {}, async (client, dbName) => {
    const open = (): MongoMemoryStore =>
      new MongoMemoryStore({ client, dbName, index: { dims, embeddings: embeddings as never } });
    const address = { nodeId: "meaning" };
    const memory = open().memory(address);
    for (let file = 0; file < fileCount; file += 1)
      await memory.write(`/dir-${file % 10}/file-${file}`, Array.from({ length: linesOfFile }, someLine).join("\n"));
    const first: number[] = [];
    for (let search = 0; search < 5; search += 1) first.push(await timed(() => memory.search("zebra")));
    const times: Record<"read" | "warm search" | "cold search", number[]> = {
      read: [],
      "warm search": [],
      "cold search": [],
    };
    for (let round = 0; round < 10; round += 1) {
      const cold = open().memory(address);
      await cold.read("/dir-1/file-1");
      times["cold search"].push(await timed(() => cold.search(someLine())));
      times.read.push(await timed(() => cold.read("/dir-1/file-1")));
      times["warm search"].push(await timed(() => cold.search(someLine())));
    }
    console.log(`a search that embeds 1,000 passages: ${median(first).toFixed(0)} ms`);
    for (const [what, each] of Object.entries(times)) console.log(`${what}: ${median(each).toFixed(1)} ms`);
    console.log(`an index takes ${Math.round(cachedIndexes().bytes / cachedIndexes().count / 1e6)} MB`);
  }),
);
