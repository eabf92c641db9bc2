import { randomUUID } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import { MongoClient } from "mongodb";
import { type Memory, MongoMemoryStore } from "../../../src/index.js";
import { repetitions } from "../../helpers/repetitions.js";
import { change, learnFrom } from "../../helpers/scripted-learning.js";
import { testDatabase } from "../../helpers/test-database.js";

const { uri, name: dbName } = testDatabase("standalone");

interface Traffic {
  commands: number;
  bytes: number;
}

const news = 20;
const operations = [
  ...[1, 2, 3].map((index) => change("write", `/profile/new-${index}`, { text: `fact ${index}` })),
  change("append", "/profile/ada", { text: "Rides a bicycle.", sources: ["s2"] }),
  change("edit", "/profile/ada", { oldText: "Likes tea.", text: "Likes milk.", sources: ["s3"] }),
];

/** Counts what a run sends and receives in a memory of so many files, of which twenty are new to it. */
async function countTraffic(files: number): Promise<Traffic> {
  const client = new MongoClient(uri, { monitorCommands: true });
  try {
    const store = new MongoMemoryStore({ client, dbName, history: true });
    const memory: Memory = store.memory({ nodeId: randomUUID() });
    await memory.write("/profile/ada", "Likes tea.\n");
    await fill(new MongoMemoryStore({ client, dbName }), memory, files);
    await learnFrom(memory, [[]], { read: ["/inbox/**"] });
    for (let index = 0; index < news; index += 1) await memory.append(`/inbox/${index % 5}`, `new note ${index}`);
    // A process that has searched the memory before.
    await memory.search("tea");
    const traffic: Traffic = { commands: 0, bytes: 0 };
    client.on("commandSucceeded", ({ reply }) => {
      traffic.commands += 1;
      traffic.bytes += JSON.stringify(reply).length;
    });
    const { proposals } = await learnFrom(memory, [operations], { read: ["/inbox/**"] });
    expect(proposals).toHaveLength(4);
    return traffic;
  } finally {
    await client.close();
  }
}

async function fill(store: MongoMemoryStore, { address }: Memory, files: number): Promise<void> {
  for (let start = 0; start < files; start += 1000)
    await store.batch(
      Array.from({ length: Math.min(1000, files - start) }, (_, index) => ({
        namespace: ["memory", address.nodeId, "global"],
        key: `/notes/${Math.floor((start + index) / 100)}/${start + index}`,
        value: { content: `note ${start + index} about ${randomUUID()}` },
      })),
    );
}

describe("a run of learn", () => {
  it("reads no more in a large memory than in a small one", async () => {
    const small = await countTraffic(10);
    const large = await countTraffic(repetitions({ usual: 2000, long: 20_000 }));
    // A memory of several pages reads a list of them now and then.
    expect(large.commands).toBeLessThanOrEqual(small.commands + 5);
    expect(large.bytes).toBeLessThan(1.5 * small.bytes);
  });
});
