import { randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { MongoClient } from "mongodb";
import type * as moving from "../../src/move-in/index.js";
import { MongoMemoryStore } from "../measuring/built-package.js";
import { median } from "../measuring/measure.js";
import { tableHead, toRow, toShort } from "../measuring/report.js";

const { moveIn, readEntries } = (await import(new URL("../../dist/move-in.js", import.meta.url).href)) as typeof moving;

const batch = 2000;
const bytesPerFact = 200;
const rounds = 3;

/** Moves in memories of mem0, and writes the same documents by `bulkWrite` of the driver. */
export async function measureMoving(client: MongoClient, dbName: string, itemCounts: number[]): Promise<string[]> {
  const dir = await mkdtemp(join(tmpdir(), "move-in-bench-"));
  try {
    const rows: string[][] = [];
    for (const count of itemCounts) {
      const file = join(dir, `${count}.jsonl`);
      await writeFacts(file, count);
      const samples: Sample[] = [];
      for (let round = 0; round < rounds; round += 1) samples.push(await measureRound(client, dbName, file));
      const middle = (getValue: (sample: Sample) => number): number => median(samples.map(getValue));
      const perItem = (getMs: (sample: Sample) => number): string => toShort((1000 * middle(getMs)) / count);
      rows.push([
        String(count),
        perItem(({ ownMs }) => ownMs),
        perItem(({ driverMs }) => driverMs),
        toShort(middle(({ ownMs, driverMs }) => ownMs / driverMs)),
        perItem(({ againMs }) => againMs),
        String(Math.round(middle(({ grownBytes }) => grownBytes) / 2 ** 20)),
      ]);
    }
    const titles = [
      "memories of mem0",
      "µs each",
      "by `bulkWrite`, µs each",
      "ratio",
      "again, µs each",
      "process grew by, MB",
    ];
    return [...tableHead(titles), ...rows.map(toRow)];
  } finally {
    await rm(dir, { recursive: true });
  }
}

interface Sample {
  driverMs: number;
  ownMs: number;
  againMs: number;
  grownBytes: number;
}

/** Measures both sides, one after the other, into a new collection and a new memory. */
async function measureRound(client: MongoClient, dbName: string, file: string): Promise<Sample> {
  const driverMs = await measure(() => writeByDriver(client, dbName, file));
  const memory = new MongoMemoryStore({ client, dbName }).memory({ nodeId: randomUUID() });
  const before = process.memoryUsage().rss;
  let highest = before;
  const sample = setInterval(() => (highest = Math.max(highest, process.memoryUsage().rss)), 50);
  const ownMs = await measure(() => moveIn(memory, readEntries({ from: "mem0", source: file })));
  clearInterval(sample);
  const againMs = await measure(() => moveIn(memory, readEntries({ from: "mem0", source: file })));
  return { driverMs, ownMs, againMs, grownBytes: highest - before };
}

async function measure(run: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}

/** Oldest first, an hour between two, as a program has stored them. */
async function writeFacts(file: string, count: number): Promise<void> {
  const handle = await open(file, "w");
  for (let first = 0; first < count; first += batch) {
    const lines = Array.from({ length: Math.min(batch, count - first) }, (_, index) => {
      const number = first + index;
      const created_at = new Date(Date.UTC(2020, 0, 1) + number * 3_600_000).toISOString();
      const memory = `Fact ${number} ${"about tea ".repeat(bytesPerFact / 10)}`;
      return JSON.stringify({ id: randomUUID(), memory, created_at });
    });
    await handle.write(`${lines.join("\n")}\n`);
  }
  await handle.close();
}

async function writeByDriver(client: MongoClient, dbName: string, file: string): Promise<void> {
  const collection = client
    .db(dbName)
    .collection(`raw_${randomUUID()}`, { writeConcern: { w: "majority", journal: true } });
  let operations: { insertOne: { document: object } }[] = [];
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const { id, memory, created_at: created } = JSON.parse(line) as Record<string, string>;
    const at = new Date(created ?? "");
    operations.push({ insertOne: { document: { path: `/${id}`, content: memory, createdAt: at, updatedAt: at } } });
    if (operations.length < batch) continue;
    await collection.bulkWrite(operations);
    operations = [];
  }
  if (operations.length > 0) await collection.bulkWrite(operations);
}
