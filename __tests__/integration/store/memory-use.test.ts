import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "@jest/globals";
import { Binary } from "mongodb";
import { MongoMemoryStore } from "../../../src/index.js";
import { storedNamespace, createItemId } from "../../../src/mongodb/operations/namespaces.js";
import { compiled } from "../../helpers/compiled-sources.js";
import { isLong, repetitions } from "../../helpers/repetitions.js";
import { testDatabase } from "../../helpers/test-database.js";

const { uri, name, client, db } = testDatabase("standalone");
const runFile = promisify(execFile);
const worker = compiled("__tests__/helpers/scan-worker.ts");

const itemCount = repetitions({ usual: 10_000, long: 100_000 });
const textKiB = repetitions({ usual: 8, long: 1 });
const dims = 64;
/** All items are 80 MB of text and more; a batch of 1000 of them is 8 MB at most. */
const heapMiB = 64;

interface WorkItem {
  _id: string;
  [field: string]: unknown;
}

/** A text and a vector each, in a namespace of its own. */
function itemAt(index: number): WorkItem {
  const isLast = index === itemCount - 1;
  const namespace = ["scanned", `n${String(index).padStart(6, "0")}`, ...(isLast ? ["last"] : [])];
  const now = new Date();
  return {
    _id: createItemId(namespace, "key"),
    ns: storedNamespace(namespace),
    key: "key",
    value: { text: `${index} `.padEnd(textKiB * 1_000, "lorem ipsum "), ...(isLast && { "is.last": true }) },
    createdAt: now,
    updatedAt: now,
    embedded: {
      hashes: ["loaded"],
      vectors: { text0: Binary.fromFloat32Array(new Float32Array(dims).fill(index + 1)) },
    },
  };
}

beforeAll(async () => {
  await new MongoMemoryStore({ client, dbName: name }).start();
  const chunk = 5_000;
  for (let start = 0; start < itemCount; start += chunk) {
    const items = Array.from({ length: chunk }, (_, index) => itemAt(start + index));
    await db.collection<WorkItem>("items").insertMany(items, { ordered: false });
  }
});

/** They read as the search by a condition does. */
const onlyLong: [says: string, work: string, found: number][] = [
  ["pages of a search", "pages", itemCount],
  ["a search beyond the last item", "offset", 0],
  ["a listing of namespaces by their suffix", "namespaces", 1],
];

/** In a process of its own with a small heap, in which an answer that does not fit ends it. */
async function scan(work: string): Promise<number> {
  const args = [`--max-old-space-size=${heapMiB}`, worker, uri, name, String(dims), work];
  const { stdout } = await runFile(process.execPath, args);
  return Number(stdout);
}

describe(`${itemCount.toLocaleString("en")} items of ${textKiB} KB each, read in a process with a heap of ${heapMiB} MiB`, () => {
  it.each([
    ["a search by a condition decided here", "filter", 1],
    ["an exact vector search", "vectors", 10],
    ...(isLong ? onlyLong : []),
  ])("%s holds no more than a batch", async (_, work, found) => {
    expect(await scan(work)).toBe(found);
  });

  it("all of them at once do not fit, so the others prove something", async () => {
    await expect(scan("everything")).rejects.toThrow(/heap out of memory/);
  });
});
