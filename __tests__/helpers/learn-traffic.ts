import { randomUUID } from "node:crypto";
import { BSON, MongoClient } from "mongodb";
import { type Memory, MongoMemoryStore } from "../../src/index.js";
import { learn } from "../../src/learn/index.js";
import { change, scripted } from "./scripted-learning.js";

/** What a run of `learn` sent and received, and how many proposals it made. */
interface LearnTraffic {
  commands: number;
  bytes: number;
  proposals: number;
}

const newVersions = 20;
const operations = [
  ...[1, 2, 3].map((number) => change("write", `/profile/new-${number}`, { text: `fact ${number}` })),
  change("append", "/profile/ada", { text: "Rides a bicycle.", sources: ["s2"] }),
  change("edit", "/profile/ada", { oldText: "Likes tea.", text: "Likes milk.", sources: ["s3"] }),
];

/** Counts for a memory of so many files, with twenty versions that are new to the run. */
export async function countLearnTraffic(uri: string, dbName: string, files: number): Promise<LearnTraffic> {
  const client = new MongoClient(uri, { monitorCommands: true });
  try {
    const store = new MongoMemoryStore({ client, dbName, history: true });
    const memory = store.memory({ nodeId: randomUUID() });
    await memory.write("/profile/ada", "Likes tea.\n");
    await fill(new MongoMemoryStore({ client, dbName }), memory, files);
    const options = { memory, read: ["/inbox/**"] };
    await learn({ ...options, model: scripted([]).model });
    for (let number = 0; number < newVersions; number += 1)
      await memory.append(`/inbox/${number % 5}`, `new note ${number}`);
    // A process that has searched the memory before.
    await memory.search("tea");
    const traffic = { commands: 0, bytes: 0 };
    client.on("commandStarted", ({ command }) => {
      traffic.commands += 1;
      traffic.bytes += BSON.calculateObjectSize(command, { ignoreUndefined: true });
    });
    client.on("commandSucceeded", ({ reply }) => {
      traffic.bytes += BSON.calculateObjectSize(reply as BSON.Document);
    });
    const { proposals } = await learn({ ...options, model: scripted(operations).model });
    return { ...traffic, proposals: proposals.length };
  } finally {
    await client.close();
  }
}

async function fill(store: MongoMemoryStore, { address }: Memory, files: number): Promise<void> {
  for (let start = 0; start < files; start += 1000)
    await store.batch(
      Array.from({ length: Math.min(1000, files - start) }, (_, offset) => ({
        namespace: ["memory", address.nodeId, "global"],
        key: `/notes/${Math.floor((start + offset) / 100)}/${start + offset}`,
        value: { content: `note ${start + offset} about ${randomUUID()}` },
      })),
    );
}
