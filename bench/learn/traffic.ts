import { randomUUID } from "node:crypto";
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { RunnableLambda } from "@langchain/core/runnables";
import { BSON, MongoClient } from "mongodb";
import type { Memory } from "../../src/index.js";
import { learn, MongoMemoryStore } from "../measuring/built-package.js";
import { tableHead, toRow, toShort } from "../measuring/report.js";
import { inDatabase } from "../measuring/servers.js";

const newVersions = 20;

interface Traffic {
  commands: number;
  /** Sent and received. */
  bytes: number;
}

/** What a run with twenty new versions sends and receives, in memories of so many files, against the smallest. */
export async function measureTraffic(uri: string, fileCounts: readonly number[]): Promise<string[]> {
  const found: Traffic[] = [];
  for (const files of fileCounts)
    found.push(await inDatabase(uri, {}, (_, dbName) => countTraffic(uri, dbName, files)));
  const [first] = found;
  const describe = (name: keyof Traffic): string[] =>
    found.map((each) => `${toShort(each[name] / (first?.[name] ?? Number.NaN))} (${each[name]})`);
  return [
    ...tableHead(["", ...fileCounts.map((files) => `${files} files`)]),
    toRow(["commands", ...describe("commands")]),
    toRow(["bytes", ...describe("bytes")]),
  ];
}

/** In a process that has searched the memory before. */
async function countTraffic(uri: string, dbName: string, files: number): Promise<Traffic> {
  const client = new MongoClient(uri, { monitorCommands: true });
  try {
    const store = new MongoMemoryStore({ client, dbName, history: true });
    const memory = store.memory({ nodeId: randomUUID() });
    await memory.write("/profile/ada", "Likes tea.\n");
    await fill(new MongoMemoryStore({ client, dbName }), memory, files);
    await learn({ memory, model: createModel([]), read: ["/inbox/**"] });
    for (let index = 0; index < newVersions; index += 1)
      await memory.append(`/inbox/${index % 5}`, `new note ${index}`);
    await memory.search("tea");
    const traffic: Traffic = { commands: 0, bytes: 0 };
    client.on("commandStarted", ({ command }) => {
      traffic.commands += 1;
      traffic.bytes += BSON.calculateObjectSize(command, { ignoreUndefined: true });
    });
    client.on("commandSucceeded", ({ reply }) => {
      traffic.bytes += BSON.calculateObjectSize(reply as BSON.Document);
    });
    const { proposals } = await learn({ memory, model: createModel(operations), read: ["/inbox/**"] });
    if (proposals.length !== operations.length) throw new Error(`the run made ${proposals.length} proposals`);
    return traffic;
  } finally {
    await client.close();
  }
}

async function fill(store: InstanceType<typeof MongoMemoryStore>, { address }: Memory, files: number): Promise<void> {
  for (let start = 0; start < files; start += 1000)
    await store.batch(
      Array.from({ length: Math.min(1000, files - start) }, (_, index) => ({
        namespace: ["memory", address.nodeId, "global"],
        key: `/notes/${Math.floor((start + index) / 100)}/${start + index}`,
        value: { content: `note ${start + index} about ${randomUUID()}` },
      })),
    );
}

const rest = { oldText: null, to: null, reason: "the note says so" };
const operations = [
  ...[1, 2, 3].map((index) => ({
    ...rest,
    operation: "write",
    path: `/profile/new-${index}`,
    text: `fact ${index}`,
    sources: ["s1"],
  })),
  { ...rest, operation: "edit", path: "/profile/ada", oldText: "Likes tea.", text: "Likes milk.", sources: ["s3"] },
];

/** `learn` calls nothing else of a model. */
function createModel(answer: readonly object[]): BaseChatModel {
  const model = { model: "scripted", withStructuredOutput: () => RunnableLambda.from(() => ({ operations: answer })) };
  return model as unknown as BaseChatModel;
}
