import { createInterface } from "node:readline";
import { MongoClient } from "mongodb";
import type { LayoutName } from "../../src/mongodb/memories/layouts.js";
import { MongoMemoryStore } from "../../src/mongodb/store/mongo-memory-store.js";
import { randomCommands, type WorkloadName, workloads } from "./linearizability/random-commands.js";
import { recordedCall } from "./linearizability/recorded-call.js";
import { untilAnswers } from "./until-answers.js";

/** How many calls of one process are under way at once. */
const callers = 2;

/**
 * What the test tells a worker, a line each: to begin a round of so many calls, or of calls without end, or to end it.
 */
export type WorkerOrder =
  | { nodeId: string; workload: WorkloadName; seed: number; calls: number | null }
  | { stop: true };

/**
 * A process of its own with a client of its own, which makes random calls and writes each to the standard output: URI,
 * database, layout and name are its arguments. It ends with its standard input.
 */
const [uri = "", dbName = "", layout = "", name = ""] = process.argv.slice(2);
const client = new MongoClient(uri, { serverSelectionTimeoutMS: 2000 });
const store = new MongoMemoryStore({ client, dbName, layout: layout as LayoutName });
const tell = (line: object): boolean => process.stdout.write(`${JSON.stringify(line)}\n`);
let isStopped = false;

async function play({ nodeId, workload, seed, calls }: Extract<WorkerOrder, { nodeId: string }>): Promise<void> {
  isStopped = false;
  const memory = store.memory({ nodeId });
  const call = async (number: number): Promise<void> => {
    const caller = `${name}${number}`;
    const commands = randomCommands(workloads[workload], caller, seed * callers + number);
    for (let made = 0; !isStopped && (calls === null || made < calls); made += 1) {
      const recorded = await recordedCall(memory, caller, commands.next().value);
      if (recorded !== null) tell(recorded);
      // While the server is away each call would be one more that may have happened.
      if (recorded === null || recorded.answeredAt === null) await untilAnswers(memory);
    }
  };
  await Promise.all(Array.from({ length: callers }, (_, number) => call(number)));
  tell({ end: true });
}

await untilAnswers(store.memory({ nodeId: "nobody" }));
tell({ end: true });
const rounds: Promise<void>[] = [];
for await (const line of createInterface({ input: process.stdin })) {
  const order = JSON.parse(line) as WorkerOrder;
  if ("stop" in order) isStopped = true;
  else rounds.push(play(order));
}
isStopped = true;
await Promise.all(rounds);
await client.close();
