import { deepStrictEqual } from "node:assert/strict";
import type { Collection, MongoClient } from "mongodb";
import { machineLine } from "../measuring/machine.js";
import { compare, type Comparison, measureRound, type Pair, type Sample } from "../measuring/measure.js";
import { durable, inDatabase, mongodVersion, onServer } from "../measuring/servers.js";
import { comparisonCell, row, tableHead } from "../measuring/table.js";
import { builtPackage } from "../package/built-package.js";

type Store = InstanceType<Awaited<ReturnType<typeof builtPackage>>["MongoMemoryStore"]>;

interface StoredMemory {
  nodeId: string;
  scope: string;
  userId: string;
  data: Record<string, string>;
}

const nodes = ["assistant", "support", "sales", "search", "planner"];
const userCount = 20_000;
const iterations = 60;
const goal = 1.3;

const exact = { collation: { locale: "simple" } } as const;
const userAt = (index: number): string => `user ${index}`;
/** As the index of users needs it. */
const ofUser = (userId: string) => ({ scope: "perUser", userId: { $eq: userId, $type: "string" } }) as const;
const files = { $size: { $objectToArray: "$data" } };

/**
 * A user of five memories among 20,000: found and erased by the store, and by the driver alone with the same indexes.
 */
export async function measureErasing(rounds: number): Promise<string> {
  return onServer("standalone", async (uri) => {
    const results = await inDatabase(uri, {}, (client, dbName) => compareAll(client, dbName, rounds));
    return reportOf(results, { mongod: await mongodVersion(uri), rounds });
  });
}

async function compareAll(client: MongoClient, dbName: string, rounds: number): Promise<[string, Comparison][]> {
  const { MongoMemoryStore } = await builtPackage();
  const store = new MongoMemoryStore({ client, dbName });
  await store.start();
  const memories = client.db(dbName).collection<StoredMemory>("memories", { writeConcern: durable });
  for (let index = 0; index < userCount; index += 1000) {
    await memories.insertMany(Array.from({ length: 1000 }, (_, offset) => memoriesOf(userAt(index + offset))).flat());
  }
  const pairs = pairsOf(store, client, memories);
  deepStrictEqual(await pairs["listMemories of a user"]?.ours(7), await pairs["listMemories of a user"]?.theirs(7));
  const samples = new Map<string, Sample[]>();
  for (let round = 0; round <= rounds; round += 1) {
    for (const [title, pair] of Object.entries(pairs)) {
      const sample = await measureRound(pair, iterations);
      if (round > 0) samples.set(title, [...(samples.get(title) ?? []), sample]);
    }
  }
  return Array.from(samples, ([title, each]) => [title, compare(each)]);
}

/** Each side of a deletion has a user of its own, put back after each turn. */
function pairsOf(store: Store, client: MongoClient, memories: Collection<StoredMemory>): Record<string, Pair> {
  const [ours, theirs] = [userAt(1), userAt(2)];
  const restore = async (): Promise<void> => {
    for (const userId of [ours, theirs]) {
      await memories.deleteMany(ofUser(userId), exact);
      await memories.insertMany(memoriesOf(userId));
    }
  };
  const count = async (): Promise<number> => {
    const found = await memories.find(ofUser(theirs), { ...exact, projection: { files } }).toArray();
    return found.reduce((sum, each) => sum + Number((each as { files?: number }).files), 0);
  };
  const remove = (): Promise<unknown> => memories.deleteMany(ofUser(theirs), exact);
  const proposals = client.db(memories.dbName).collection("memories_proposals", { writeConcern: durable });
  /** The proposals of a memory lie in a collection of their own, and those of others may name a user. */
  const removeProposals = async (userId: string): Promise<unknown> => [
    await proposals.deleteMany({ scope: "perUser", userId }, exact),
    await proposals.bulkWrite(
      ["actor.userId", "decidedBy.userId"].map((field) => ({
        updateMany: { filter: { [field]: userId }, update: { $unset: { [field]: "" } }, ...exact },
      })),
    ),
  ];
  const [nodeId = ""] = nodes;
  return {
    "listMemories of a user": {
      ours: (iteration) => listed(store, userAt(spread(iteration))),
      theirs: (iteration) => listedByHand(memories, userAt(spread(iteration))),
    },
    "forget of a user, against a find that counts, deletes and updates": {
      ours: () => store.forget({ userId: ours }),
      theirs: async () => [await removeProposals(theirs), await count(), await remove()],
      restore,
    },
    "forget of an address, against two deletes": {
      ours: () => store.forget({ nodeId, scope: "perUser", userId: ours }),
      theirs: async () => [
        await proposals.deleteMany({ nodeId, scope: "perUser", userId: theirs }, exact),
        await memories.deleteOne({ nodeId, scope: "perUser", userId: theirs }, exact),
      ],
      restore,
    },
    "noise: the same deleteMany on both sides": { ours: remove, theirs: remove, restore },
  };
}

const spread = (iteration: number): number => 10 + ((iteration * 7919) % (userCount - 10));

async function listed(store: Store, userId: string): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const summary of store.listMemories({ userId })) found.push(summary);
  return found;
}

async function listedByHand(memories: Collection<StoredMemory>, userId: string): Promise<unknown[]> {
  const projection = {
    _id: 0,
    nodeId: 1,
    scope: 1,
    userId: 1,
    createdAt: 1,
    updatedAt: 1,
    sizeBytes: { $bsonSize: "$$ROOT" },
    files,
  };
  const found = await memories.find(ofUser(userId), { ...exact, projection, sort: { userId: 1, nodeId: 1 } }).toArray();
  return found.map(({ nodeId, scope, userId: id, ...others }) => ({
    address: { nodeId, scope, userId: id },
    ...others,
  }));
}

/** Ten files of 500 bytes, in each of five nodes. */
function memoriesOf(userId: string): StoredMemory[] {
  const now = new Date();
  const keys = Array.from({ length: 10 }, (_, index) => `notes.file ${index}`);
  return nodes.toSorted().map((nodeId) => ({
    nodeId,
    scope: "perUser",
    userId,
    data: Object.fromEntries(keys.map((key) => [key, "x".repeat(500)])),
    dirs: { notes: true },
    meta: Object.fromEntries(keys.map((key) => [key, { createdAt: now, updatedAt: now }])),
    revision: 1,
    createdAt: now,
    updatedAt: now,
  }));
}

async function reportOf(results: [string, Comparison][], machine: { mongod: string; rounds: number }): Promise<string> {
  return [
    "## Measured",
    "",
    await machineLine(machine),
    "",
    ...tableHead([
      `among ${(userCount * nodes.length).toLocaleString("en-US")} memories (n = ${iterations} a round)`,
      "ours ÷ raw, ms",
    ]),
    ...results.map(([title, comparison]) =>
      row([title, comparisonCell(comparison, !title.startsWith("noise") && comparison.ratio > goal)]),
    ),
    "",
  ].join("\n");
}
