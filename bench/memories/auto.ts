import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { logConversation, MemoryNode, MongoMemoryStore } from "../measuring/built-package.js";
import { measureCases, type Result, summarize } from "../measuring/measure.js";
import { inDatabase } from "../measuring/servers.js";
import { createWords } from "../search/words.js";

const nodeId = "log";
const days = 350;
/** With 25 words each. All messages together have 1 MB. */
const messagesEach = 20;
const column = `${days} days`;

/** Shows 1 MB of a conversation log as `auto`, for a new question each time. */
export function measureAuto(uri: string, rounds: number): Promise<Result[]> {
  return inDatabase(uri, {}, async (client, dbName) => {
    const store = new MongoMemoryStore({ client, dbName });
    const memory = store.memory({ nodeId });
    for (let day = 0; day < days; day += 1) await logConversation(memory, createMessages(), { at: getDay(day) });
    const small = store.memory({ nodeId: "small" });
    await small.write("/note", "A note.");
    const connector = new MemoryNode({ nodeId, store, log: true }).createConnector({ content: "auto" });
    const show = () => connector.renderMessage({ question: createWords(6) });
    const append = () => memory.append("/note", createWords(6));
    const warm = {
      row: "warm, against a read of a small memory",
      column,
      ours: show,
      theirs: () => small.read("/note"),
      iterations: 20,
      atMost: 15,
    };
    const changed = {
      row: "after a change of one page, against a snapshot",
      column,
      ours: show,
      theirs: () => memory.snapshot(),
      iterations: 20,
      restore: append,
    };
    await append();
    return [...(await measureCases([warm, changed], { rounds })), await measureFirst(uri, dbName, rounds)];
  });
}

function createMessages() {
  return Array.from({ length: messagesEach }, (_, place) =>
    place % 2 === 0 ? new HumanMessage(createWords(25)) : new AIMessage(createWords(25)),
  );
}

function getDay(day: number): Date {
  return new Date(Date.UTC(2024, 0, 1 + day, 9));
}

/** Each round is a process of its own, which has read one file before. */
async function measureFirst(uri: string, dbName: string, rounds: number): Promise<Result> {
  const samples: { ours: number; theirs: number }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const worker = fork(fileURLToPath(new URL("first-auto.ts", import.meta.url)), [uri, dbName, nodeId]);
    const [[ours, theirs]] = (await once(worker, "message")) as [[number, number]];
    samples.push({ ours, theirs });
    await once(worker, "exit");
  }
  const row = "first of a process, against its first snapshot";
  return summarize({ row, column, iterations: 1, atMost: 6 }, samples);
}
