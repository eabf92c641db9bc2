import { existsSync } from "node:fs";
import type { AIMessage } from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";
import { type MemoryActor, MongoMemoryStore } from "langgraph-mongo-memory";
import { createMailAgent, nodeId } from "./agent.js";
import { mails } from "./mails.js";
import { scriptedModel } from "./scripted-model.js";

if (existsSync(".env")) process.loadEnvFile();
const { OPENAI_API_KEY: key, OPENAI_MODEL: modelName = "gpt-4.1-mini", MONGODB_URI: uri } = process.env;
const model = key ? new ChatOpenAI({ model: modelName }) : scriptedModel();
// History and proposals need MongoDB.
const instance = { storageEngine: "wiredTiger", launchTimeout: 60_000 } as const; // the engine of MongoDB 7 and later
const server = uri ? undefined : await (await import("mongodb-memory-server")).MongoMemoryServer.create({ instance });
const store = await MongoMemoryStore.fromConnString(uri ?? server?.getUri("app") ?? "", { history: true });
console.log(
  `Store: MongoMemoryStore${uri ? "" : ", on a mongod that ends with this example (set MONGODB_URI for yours)"}`,
);
console.log(`Model: ${key ? `ChatOpenAI ${modelName}` : "scripted (set OPENAI_API_KEY for ChatOpenAI)"}`);

const carol = { userId: "carol" };
const suspicious = "66-99-66";

function nameOf({ userId, threadId, runId, toolCallId }: MemoryActor): string {
  return [userId, threadId, runId, toolCallId].filter((each) => each !== undefined).join(", ") || "nobody known";
}

function indented(text: string): string {
  return text.trimEnd().replace(/^/gm, "  ");
}

try {
  // Deletes notes of an earlier run in MongoDB.
  await store.forget({ nodeId, scope: "global" });
  // Carol's memory is free of the agent's rules, and her changes have her name.
  const memory = store.memory({ nodeId }).with({ actor: carol });
  const { history, proposals } = memory;
  if (!history || !proposals) throw new Error("the store keeps no history");
  await memory.write("/policies/refunds", "Refunds are sent to the card that was used.\n");

  const agent = createMailAgent(model, store, mails);
  let runs = 0;
  const ask = async (thread_id: string, content: string): Promise<void> => {
    // LangGraph's server names each run. In this example the program does so; a run without a name gets a random one.
    const run_id = `run-${(runs += 1)}`;
    console.log(`\n[${thread_id}, ${run_id}] ${content}`);
    const { messages } = await agent.invoke(
      { messages: [{ role: "user", content }] },
      { configurable: { thread_id, run_id } },
    );
    const calls = messages.flatMap((message) =>
      message.type === "ai" ? ((message as AIMessage).tool_calls ?? []) : [],
    );
    for (const { name, args } of calls) console.log(`  It calls ${name}(${JSON.stringify(args)})`);
    console.log(`  Answer: ${messages.at(-1)?.text}`);
  };

  await ask("thread-1", "Answer mail-1.");
  for await (const { id, actor, diff } of proposals.list()) {
    console.log(`\nProposed by ${nameOf(actor ?? {})}:\n${indented(diff)}`);
    const { reason } = await proposals.reject(id, { by: carol, reason: "A customer does not set policies." });
    console.log(`Carol rejects it: ${reason}`);
  }
  console.log(`The policy: ${(await memory.read("/policies/refunds")).trimEnd()}`);

  await ask("thread-2", "Answer mail-2.");
  await ask("thread-3", "Answer mail-3.");
  await ask("thread-4", "Where do refunds go?");

  console.log(`\nCarol looks for who wrote ${suspicious}:`);
  const runIds = new Set<string>();
  const found = await memory.grep(suspicious);
  for (const path of new Set<string>(found.map((match) => match.path))) {
    for (const { line, text, version } of await history.blame(path)) {
      console.log(`  ${path}:${line} | ${text} | version ${version?.id} by ${nameOf(version?.actor ?? {})}`);
      if (text.includes(suspicious) && version?.actor?.runId) runIds.add(version.actor.runId);
    }
  }
  for (const runId of runIds) {
    const undone = await history.revert({ runId });
    console.log(`She undoes ${runId}: ${undone.map(({ operation, path }) => `${path} ${operation}`).join(", ")}`);
    // The versions still contain the door code.
    console.log(`Versions in which she redacts it: ${await history.redact({ text: "door code 4711" })}`);
  }
  await ask("thread-5", "Where do refunds go?");

  console.log("\nThe log, newest first:");
  for await (const { id, operation, path, actor, redactedBy } of history.list()) {
    console.log(
      `  ${id.padEnd(3)} ${operation.padEnd(8)} ${redactedBy ? `(redacted by ${nameOf(redactedBy)})` : path} by ${nameOf(actor ?? {})}`,
    );
  }
} finally {
  await store.stop();
  await server?.stop();
}
