import { MongoMemoryStore } from "../../src/mongodb/store/mongo-memory-store.js";
import { cachedIndexes } from "../../src/core/search/index-cache.js";
import { median, timed } from "../measuring/measure.js";
import { inDatabase, onServer } from "../measuring/servers.js";

const vocabulary = Array.from({ length: 5000 }, (_, index) => `w${index.toString(36)}ord`);
const fileCounts = [1000];
const linesOfFile = 5;
const wordsOfLine = 16;

let seed = 1;
/** Rare words and common ones, as in any text. */
function someWord(): string {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
  return vocabulary[Math.floor((seed / 2_147_483_648) ** 3 * vocabulary.length)] ?? "";
}

const someLine = (): string => Array.from({ length: wordsOfLine }, someWord).join(" ");

await onServer("standalone", (uri) =>
  inDatabase(uri, {}, async (client, dbName) => {
    for (const fileCount of fileCounts) {
      const store = new MongoMemoryStore({ client, dbName });
      const memory = store.memory({ nodeId: `files ${fileCount}` });
      for (let file = 0; file < fileCount; file += 1)
        await memory.write(`/dir-${file % 10}/file-${file}`, Array.from({ length: linesOfFile }, someLine).join("\n"));
      const times: Record<"read" | "snapshot" | "warm search" | "search after a change" | "cold search", number[]> = {
        read: [],
        snapshot: [],
        "warm search": [],
        "search after a change": [],
        "cold search": [],
      };
      const before = cachedIndexes().bytes;
      for (let round = 0; round < 30; round += 1) {
        const query = Array.from({ length: 4 }, someWord).join(" ");
        // The indexes of a store are not those of another one.
        const cold = new MongoMemoryStore({ client, dbName }).memory({ nodeId: `files ${fileCount}` });
        await cold.read("/dir-1/file-1");
        await memory.search(query);
        times.read.push(await timed(() => memory.read("/dir-1/file-1")));
        times["warm search"].push(await timed(() => memory.search(query)));
        times.snapshot.push(await timed(() => memory.snapshot()));
        times["cold search"].push(await timed(() => cold.search(query)));
        await memory.write("/dir-1/file-1", someLine());
        times["search after a change"].push(await timed(() => memory.search(query)));
      }
      const [read, snapshot] = [median(times.read), median(times.snapshot)];
      for (const [what, each] of Object.entries(times)) {
        console.log(
          `${fileCount} files: ${what} ${median(each).toFixed(2)} ms, ${(median(each) / read).toFixed(1)} reads, ${(median(each) / snapshot).toFixed(1)} snapshots`,
        );
      }
      console.log(
        `${fileCount} files: about ${Math.round((cachedIndexes().bytes - before) / 31 / fileCount)} bytes a file`,
      );
    }
  }),
);
