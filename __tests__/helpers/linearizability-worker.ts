import { createInterface } from "node:readline";
import { MongoClient } from "mongodb";
import { MongoMemoryStore } from "../../src/index.js";
import { randomCommands, type WorkloadName, workloads } from "./linearizability/random-commands.js";
import { recordedCall } from "./linearizability/recorded-call.js";
import { parsePageBytes, withPageBytes } from "./page-sizes.js";
import { untilAnswers } from "./until-answers.js";

/** Number of simultaneous calls of one process. */
const callers = 2;

/** Orders to a worker, one a line: begin a round with a number of calls, or with endless calls, or stop. */
export type WorkerOrder =
  | { nodeId: string; workload: WorkloadName; seed: number; calls: number | null }
  | { stop: true };

/**
 * A process with its own client, which makes random calls and writes each call to the standard output. Its arguments:
 * URI, database, name, the size of pages or nothing, and "history" or nothing. The process ends when its standard input
 * ends.
 */
const [uri = "", dbName = "", name = "", pageBytes, history] = process.argv.slice(2);
const client = new MongoClient(uri, { serverSelectionTimeoutMS: 2000 });
const store = new MongoMemoryStore({
  client,
  dbName,
  history: history === "history",
  ...withPageBytes(parsePageBytes(pageBytes)),
});
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
      // While the server is away, every further call would have an unknown outcome.
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
