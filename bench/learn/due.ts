import { randomUUID } from "node:crypto";
import type { MongoClient } from "mongodb";
import { dueMemories } from "../../src/core/contract/due-memories.js";
import { MongoMemoryStore } from "../measuring/built-package.js";
import { measureCases } from "../measuring/measure.js";
import { resultTable } from "../measuring/report.js";
import { inDatabase } from "../measuring/servers.js";

const limit = 20;
const changes = 5;
const dayMs = 86_400_000;

interface Head {
  _id: string;
}

/** How long it takes to find the memories that are due, among many of the node that are not. */
export function measureDue(uri: string, memories: number, rounds: number): Promise<string[]> {
  return inDatabase(uri, {}, async (client, dbName) => {
    const store = new MongoMemoryStore({ client, dbName, history: true });
    const nodeId = randomUUID();
    const due = store[dueMemories];
    const query = { nodeId, scope: "perUser", changes, intervalMs: dayMs, limit } as const;
    await store.memory({ nodeId, scope: "perUser", userId: "first" }).append("/inbox", "a note");
    await due.find(query);
    await addMemories(client, dbName, { nodeId, memories });
    const heads = client.db(dbName).collection<Head>("memories");
    const results = await measureCases(
      [
        {
          row: `${limit} due memories among ${memories}, against the query by its index (goal: at most 1.3)`,
          column: "ratio",
          ours: async () => assertFound(await due.find(query)),
          theirs: async () =>
            assertFound(
              await heads
                .find(
                  {
                    nodeId: { $eq: nodeId, $type: "string" },
                    scope: "perUser",
                    unlearnt: { $gte: changes },
                    learntAt: { $lte: new Date(Date.now() - dayMs) },
                  },
                  { limit, hint: "due_memories", projection: { nodeId: 1, scope: 1, userId: 1, learntAt: 1 } },
                )
                .toArray(),
            ),
          iterations: 40,
          atMost: 1.3,
        },
      ],
      { rounds },
    );
    return resultTable("", results);
  });
}

/** Copies the first memory: quiet ones, ones whose run was lately, and among them those that are due. */
async function addMemories(
  client: MongoClient,
  dbName: string,
  { nodeId, memories }: { nodeId: string; memories: number },
): Promise<void> {
  const heads = client.db(dbName).collection<Head>("memories");
  const first = await heads.findOne({ nodeId });
  const old = new Date(Date.now() - 2 * dayMs);
  const every = memories / (2 * limit);
  for (let start = 0; start < memories; start += 10_000)
    await heads.insertMany(
      Array.from({ length: Math.min(10_000, memories - start) }, (_, index) => {
        const number = start + index;
        const isDue = number % every === 0;
        const state =
          isDue || number % 2 === 0
            ? { unlearnt: isDue ? 7 : 1, learntAt: old }
            : { unlearnt: 7, learntAt: new Date() };
        return { ...first, ...state, _id: `memory-${number}`, userId: `user-${number}` };
      }),
    );
}

function assertFound(found: readonly unknown[]): void {
  if (found.length !== limit) throw new Error(`${found.length} memories were found`);
}
