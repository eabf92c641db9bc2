import type { MongoClient } from "mongodb";
import { compare, type Comparison, measureRound, type Sample } from "../measuring/measure.js";
import type { Dialects, Package } from "../package/built-package.js";

export const dayCounts = { many: 2000, few: 20 };

const iterations = 50;

interface ReadOptions {
  package: Package;
  dialects: Dialects;
  client: MongoClient;
  dbName: string;
  rounds: number;
}

/** A read by key in a journal of many days, against one in a journal of few. */
export async function measureReads({
  package: { MongoMemoryStore },
  dialects,
  client,
  dbName,
  rounds,
}: ReadOptions): Promise<Comparison> {
  const store = new MongoMemoryStore({ client, dbName });
  const pair = { ours: await journalOf(dayCounts.many), theirs: await journalOf(dayCounts.few) };
  const samples: Sample[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const sample = await measureRound(pair, iterations);
    if (round > 0) samples.push(sample);
  }
  return compare(samples);

  async function journalOf(days: number): Promise<(index: number) => Promise<unknown>> {
    const nodeId = `journal of ${days} days`;
    const dates = Array.from({ length: days }, (_, day) => new Date(Date.UTC(2000, 0, 1 + day)).toISOString());
    const data = dates.map((date): [string, string] => [
      `${date.slice(0, 10).replaceAll("-", ".")}%2Emd`,
      `### key of ${date.slice(0, 10)}\n\nwhat happened\n\n<!-- agentool-memory: at=${date.slice(0, 19)}+00:00 -->\n\n`,
    ]);
    await store.memory({ nodeId }).write("/made", "x");
    const change = [{ $set: { data: { $mergeObjects: ["$data", { $literal: Object.fromEntries(data) }] } } }];
    await client.db(dbName).collection("memories").updateOne({ nodeId, scope: "global" }, change);
    const [, , read] = dialects.createJournalTools(store.memory({ nodeId }));
    const call = async (index: number): Promise<unknown> => {
      const answer = await read?.invoke({ key: `key of ${(dates[index % 20] ?? "").slice(0, 10)}` });
      if (!String(answer).includes("what happened")) throw new Error(String(answer));
      return answer;
    };
    await call(0);
    return call;
  }
}
