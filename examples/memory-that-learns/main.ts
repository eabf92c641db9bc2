import { existsSync } from "node:fs";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";
import { logConversation, type Memory, MongoMemoryStore } from "langgraph-mongo-memory";
import { createHomeAgent, learnFromLog, nodeId } from "./agent.js";
import { scriptedModel } from "./scripted-model.js";
import { week } from "./week.js";

if (existsSync(".env")) process.loadEnvFile();
const { OPENAI_API_KEY: key, OPENAI_MODEL: modelName = "gpt-4.1-mini", MONGODB_URI: uri } = process.env;
const model = key ? new ChatOpenAI({ model: modelName }) : scriptedModel();
// History and proposals need MongoDB.
const instance = { storageEngine: "wiredTiger", launchTimeout: 60_000 } as const; // the engine of MongoDB 7 and later
const server = uri ? undefined : await (await import("mongodb-memory-server")).MongoMemoryServer.create({ instance });
const store = await MongoMemoryStore.fromConnString(uri ?? server?.getUri("app") ?? "", { history: true });
console.log(`Store: MongoMemoryStore${uri ? "" : ", which ends with this example (set MONGODB_URI)"}`);
console.log(`Model: ${key ? `ChatOpenAI ${modelName}` : "scripted (set OPENAI_API_KEY for ChatOpenAI)"}`);

const [ada, carol] = [{ userId: "ada" }, { userId: "carol" }] as const;

function indent(text: string): string {
  return text.trimEnd().replace(/^/gm, "  ");
}

async function printNotes(title: string, memory: Memory): Promise<void> {
  console.log(`\n${title}`);
  const { files } = await memory.snapshot();
  for (const { path, content } of files)
    if (path.startsWith("/profile/")) console.log(`  ${path}\n${indent(indent(content))}`);
}

async function printHistory(memory: Memory): Promise<void> {
  console.log("\nThe history of /profile, newest first:");
  for await (const { operation, path, actor } of memory.history?.list({ path: "/profile" }) ?? []) {
    const author = actor?.client === "learn" ? "learn" : (actor?.userId ?? "nobody known");
    console.log(`  ${operation.padEnd(8)} ${path.padEnd(14)} by ${author}`);
  }
}

try {
  // Deletes notes of an earlier run in MongoDB.
  await store.forget({ nodeId, scope: "perUser", ...ada });
  const { agent, node } = createHomeAgent(model, store);
  const memory = node.memory(ada.userId);
  const written = memory.with({ actor: ada });
  await written.write("/profile/ada", "Lives in Berlin.\nLikes short answers.\n");
  await written.write("/profile/pets", "Has a cat.\n");
  await printNotes("Before the week:", memory);

  // The agent's own `log: true` writes the same, but with the time of now.
  const logged = memory.with({ actor: { agent: "home" } });
  console.log("\nThe week, in the log:");
  for (const { at, user, assistant } of week) {
    await logConversation(logged, [new HumanMessage(user), new AIMessage(assistant)], { at, timeZone: "UTC" });
    console.log(`  ${at.toISOString().slice(0, 10)} ${user.slice(0, 60)}`);
  }

  const { runId, dropped } = await learnFromLog(memory, model);
  console.log("\nThe program refuses:");
  for (const { operation, why } of dropped) {
    const { operation: name = "all", path = "" } = (operation ?? {}) as { operation?: string; path?: string };
    console.log(`  ${name} ${path}: ${why}`);
  }

  console.log("\nCarol decides:");
  const { proposals } = memory;
  for await (const { id, path, diff, origin } of proposals?.list() ?? []) {
    console.log(`\n${indent(diff)}\n  Reason: ${origin?.reason} It rests on ${origin?.sources?.length} of the log.`);
    if (path === "/profile/health") {
      const { reason } = (await proposals?.reject(id, { by: carol, reason: "A guess." })) ?? {};
      console.log(`  Carol rejects it: ${reason}`);
    } else if (path === "/profile/food") {
      await proposals?.approve(id, { by: carol, content: "Eats fish, no meat (9 May 2026).\n" });
      console.log("  Carol approves it, in her own words.");
    } else {
      await proposals?.approve(id, { by: carol });
      console.log("  Carol approves it.");
    }
  }

  const { isUpToDate } = await learnFromLog(memory, model);
  console.log(`\nThe next night: ${isUpToDate ? "nothing is new, and no model is asked" : "there is more"}.`);

  const question = "Where do I live, and since when?";
  const config = { configurable: { thread_id: "sunday", user_id: ada.userId } };
  const { messages } = await agent.invoke({ messages: [{ role: "user", content: question }] }, config);
  console.log(`\n[ada] ${question}\n  Answer: ${messages.at(-1)?.text}`);

  await printNotes("After the week:", memory);
  await printHistory(memory);

  let versions = 0;
  for await (const _version of memory.history?.list({ actor: { runId: runId ?? "" } }) ?? []) versions += 1;
  if (versions > 0) await memory.with({ actor: carol }).history?.revert({ runId: runId ?? "" });
  await printNotes(`Carol undoes the run, ${versions} changes:`, memory);
} finally {
  await store.stop();
  await server?.stop();
}
