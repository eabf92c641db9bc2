import type { Embeddings } from "@langchain/core/embeddings";
import type { Memory } from "../../src/index.js";
import { MongoMemoryStore } from "../measuring/built-package.js";
import { type Case, measureCases } from "../measuring/measure.js";
import { createRandom } from "../measuring/random.js";
import { resultTable } from "../measuring/report.js";
import { inDatabase } from "../measuring/servers.js";
import type { Settings } from "../measuring/settings.js";
import { createText, createWords } from "./words.js";

const fileCount = 1000;
const passageCount = 5 * fileCount;
const dims = 1536;
const somePath = "/dir-1/file-1";

/**
 * A search of a memory of 1,000 files. A warm search is the next one of an unchanged memory, and a cold one the first
 * of a store.
 */
export function measureSearches(uri: string, { rounds }: Settings): Promise<string[]> {
  return inDatabase(uri, {}, async (client, dbName) => {
    const openWords = (): Memory => new MongoMemoryStore({ client, dbName }).memory({ nodeId: "words" });
    const words = await createCases("by words", openWords, await createMemory(openWords));
    const index = { dims, embeddings: createEmbeddings() };
    const openMeaning = (): Memory => new MongoMemoryStore({ client, dbName, index }).memory({ nodeId: "meaning" });
    const embedded = await createMemory(openMeaning);
    const first: Case = {
      row: "search that embeds and stores 1,000 passages, against a read",
      column: "by meaning",
      ours: () => embedded.search("zebra"),
      theirs: () => embedded.read(somePath),
      iterations: passageCount / 1000,
    };
    const embedding = await measureCases([first], { rounds: 1, warmUps: 0 });
    const meaning = await createCases("by meaning", openMeaning, embedded);
    return resultTable("", [...(await measureCases([...words, ...meaning], { rounds })), ...embedding]);
  });
}

async function createMemory(open: () => Memory): Promise<Memory> {
  const memory = open();
  for (let file = 0; file < fileCount; file += 1) await memory.write(`/dir-${file % 10}/file-${file}`, createText());
  return memory;
}

async function createCases(column: string, open: () => Memory, memory: Memory): Promise<Case[]> {
  let cold = open();
  const read = () => memory.read(somePath);
  const snapshot = () => memory.snapshot();
  const search = () => memory.search(createWords(4));
  const shared = { column, iterations: 5 };
  return [
    { ...shared, row: "snapshot, against a read of a file", ours: snapshot, theirs: read },
    {
      ...shared,
      iterations: 50,
      row: "warm search, against a read (goal by words: at most 4)",
      ours: search,
      theirs: read,
    },
    {
      ...shared,
      row: "search after a change, against a snapshot (goal by words: at most 6)",
      ours: search,
      theirs: snapshot,
      restore: (side) => (side === "theirs" ? Promise.resolve() : memory.write(somePath, createText())),
    },
    {
      ...shared,
      row: "cold search, against a cold snapshot (goal by words: at most 6)",
      ours: () => cold.search(createWords(4)),
      theirs: () => cold.snapshot(),
      restore: async () => {
        cold = open();
        await cold.read(somePath);
      },
    },
  ];
}

/** Answers at once, so that only our own work is measured. */
function createEmbeddings(): Embeddings {
  const random = createRandom(2);
  const createVector = (): number[] => Array.from({ length: dims }, () => random() - 0.5);
  const embeddings: Pick<Embeddings, "embedDocuments" | "embedQuery"> = {
    embedDocuments: async (texts) => texts.map(createVector),
    embedQuery: async () => createVector(),
  };
  return embeddings as Embeddings;
}
