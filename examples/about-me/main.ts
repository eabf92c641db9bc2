import { once } from "node:events";
import { existsSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { ChatOpenAI } from "@langchain/openai";
import type { RequestHandler } from "express";
import { MongoMemoryStore } from "langgraph-mongo-memory";
import { createApp, createSupportAgent } from "./agent.js";
import { scriptedModel } from "./scripted-model.js";

if (existsSync(".env")) process.loadEnvFile();
const { OPENAI_API_KEY: key, OPENAI_MODEL: modelName = "gpt-4.1-mini", MONGODB_URI: uri, PORT: port } = process.env;
const model = key ? new ChatOpenAI({ model: modelName }) : scriptedModel();
// The page needs MongoDB.
const instance = { storageEngine: "wiredTiger", launchTimeout: 60_000 } as const; // the engine of MongoDB 7 and later
const server = uri ? undefined : await (await import("mongodb-memory-server")).MongoMemoryServer.create({ instance });
const store = await MongoMemoryStore.fromConnString(uri ?? server?.getUri("app") ?? "", { history: true });
console.log(
  `Store: MongoMemoryStore${uri ? "" : ", on a mongod that ends with this example (set MONGODB_URI for yours)"}`,
);
console.log(`Model: ${key ? `ChatOpenAI ${modelName}` : "scripted (set OPENAI_API_KEY for ChatOpenAI)"}`);

const [ada, bob] = ["ada@example.com", "bob@example.com"] as const;

/** Replaces your login. Never believe a name that a browser sends: this is for the example only. */
const signIn: RequestHandler = (request, _response, next) => {
  const id = /(?:^|; )user=([^;]+)/.exec(request.headers.cookie ?? "")?.[1] ?? (port ? ada : undefined);
  if (id !== undefined) Object.assign(request, { user: { id } });
  next();
};

const { agent, node } = createSupportAgent(model, store);
const listener = createApp(store, node, signIn).listen(Number(port ?? 0), "127.0.0.1");
await once(listener, "listening");
const origin = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;

/** Sends what the page sends from the browser of a person. */
async function send(user: string, path: string, body?: object): Promise<string> {
  const response = await fetch(`${origin}/my-memory/api/${path}`, {
    headers: { cookie: `user=${user}`, "memory-page-token": "none", origin, "content-type": "application/json" },
    ...(body && { method: "POST", body: JSON.stringify(body) }),
  });
  return `${response.status} ${(await response.text()).trimEnd()}`;
}

try {
  // Deletes notes of an earlier run in MongoDB.
  for (const userId of [ada, bob]) await store.forget({ userId });
  const tell = async (user_id: string, content: string): Promise<void> => {
    const config = { configurable: { thread_id: user_id, user_id } };
    const { messages } = await agent.invoke({ messages: [{ role: "user", content }] }, config);
    console.log(`\n[${user_id}] ${content}\n  Answer: ${messages.at(-1)?.text}`);
  };
  await tell(ada, "I run Linux.");
  await tell(bob, "My dog is called Rex.");

  if (port) {
    console.log(`\nAda's page is at ${origin}/my-memory. Ctrl-C ends it.`);
    await once(process, "SIGINT");
  } else {
    const path = (userId: string): string =>
      `file?nodeId=example-about-me&scope=perUser&userId=${encodeURIComponent(userId)}&path=%2Ffacts`;
    const text = (answer: string): string => (/"content":"([^"]*)"/.exec(answer)?.[1] ?? answer).trim();
    console.log(`\nAda reads her memory: ${text(await send(ada, path(ada)))}`);
    console.log(`Ada tries Bob's: ${await send(ada, path(bob))}`);
    console.log(`Ada tries one that does not exist: ${await send(ada, path("nobody"))}`);
    console.log(`Ada's export has ${(await send(ada, "export")).split("\n").length} lines`);
    console.log(`Ada forgets everything: ${await send(ada, "forget", { userId: ada })}`);
    console.log(`Bob reads his memory: ${text(await send(bob, path(bob)))}`);
  }
} finally {
  listener.close();
  listener.closeAllConnections();
  await store.stop();
  await server?.stop();
}
