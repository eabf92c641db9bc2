import type { Collection, Document, MongoClient } from "mongodb";
import type { Memory } from "../../src/index.js";
import { MongoMemoryStore } from "../measuring/built-package.js";
import { type Call, type Case, measureCases } from "../measuring/measure.js";
import { resultTable } from "../measuring/report.js";
import { inDatabase } from "../measuring/servers.js";
import type { Settings } from "../measuring/settings.js";
import { createText, createWords } from "./words.js";

const insertedAtOnce = 5000;
const column = "with ÷ without";

const queries: Record<string, () => string> = {
  "search for a word of 10 files": () => "walrus",
  "for a word of 10 files and a common one": () => "walrus w0ord",
  "for four words of any text": () => createWords(4),
  "for the four commonest words, which nearly all files hold": () => "w0ord w1ord w2ord w3ord",
  "for a word of no file": () => "zebra",
};

/** What `memoryTextIndex` saves a search of many files, and costs a change. */
export function measureNarrowed(uri: string, { rounds, largeCount }: Settings): Promise<string[]> {
  return inDatabase(uri, {}, async (client, dbName) => {
    const [ours, theirs] = [
      await createMemory(client, dbName, largeCount, true),
      await createMemory(client, dbName, largeCount, false),
    ];
    const compare = (row: string, iterations: number, create: (memory: Memory) => Call): Case => ({
      row,
      column,
      ours: create(ours),
      theirs: create(theirs),
      iterations,
    });
    // Without the index, each of these takes some seconds.
    const searches = Object.entries(queries).map(([row, createQuery]) =>
      compare(row, 1, (memory) => () => memory.search(createQuery())),
    );
    const getPath = (iteration: number): string =>
      `/dir-${(iteration * 7919) % Math.ceil(largeCount / 100)}/file-${iteration % 100}`;
    const changes = [
      compare(
        "append of 28 characters",
        100,
        (memory) => (iteration) => memory.append(getPath(iteration), "one more line of some words"),
      ),
      compare("write of 600 bytes", 100, (memory) => (iteration) => memory.write(getPath(iteration), createText())),
      compare("creation", 100, (memory) => (iteration) => memory.write(`/dir-1/new-${iteration}`, createText())),
    ];
    return resultTable(`${largeCount.toLocaleString("en-US")} files`, [
      ...(await measureCases(searches, { rounds: Math.min(rounds, 3) })),
      ...(await measureCases(changes, { rounds })),
    ]);
  });
}

/** The files lie beside one that the store has made, as it would have made them. */
async function createMemory(
  client: MongoClient,
  dbName: string,
  fileCount: number,
  memoryTextIndex: boolean,
): Promise<Memory> {
  const memoriesCollection = memoryTextIndex ? "indexed" : "plain";
  const store = new MongoMemoryStore({ client, dbName, memoriesCollection, layout: "files", memoryTextIndex });
  const memory = store.memory({ nodeId: "files" });
  await memory.write("/dir-0/file-0", createText());
  const documents: Collection<Document & { _id: string }> = client.db(dbName).collection(`${memoriesCollection}_files`);
  const made = await documents.findOne({ kind: "file" });
  if (made === null) throw new Error("the store has made a file");
  const createFile = (index: number) => {
    const [parent, name] = [`dir-${Math.floor(index / 100)}`, `file-${index % 100}`];
    const text = createText() + (index % (fileCount / 10) === 1 ? " walrus" : "");
    return {
      ...made,
      _id: `g\u0001files\0/${parent}\0${name}`,
      pathText: `/${parent}/${name}`,
      text,
      textId: String(index),
      sizeBytes: text.length,
    };
  };
  for (let start = 1; start < fileCount; start += insertedAtOnce) {
    const length = Math.min(insertedAtOnce, fileCount - start);
    await documents.insertMany(Array.from({ length }, (_, index) => createFile(start + index)));
  }
  return memory;
}
