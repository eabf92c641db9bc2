import { existsSync } from "node:fs";
import { connection } from "./connection.js";
import { DELETE, POST } from "./route.js";

if (existsSync(".env")) process.loadEnvFile();
const { OPENAI_API_KEY: key, OPENAI_MODEL: modelName = "gpt-4.1-mini", MONGODB_URI: uri } = process.env;
console.log(`Store: ${uri ? "MongoMemoryStore" : "InMemoryStore (set MONGODB_URI for MongoDB)"}`);
console.log(`Model: ${key ? `ChatOpenAI ${modelName}` : "scripted (set OPENAI_API_KEY for ChatOpenAI)"}\n`);

/** Calls a handler as a server would. */
const send = async (method: "POST" | "DELETE", user: string, message?: string): Promise<string> => {
  const headers: Record<string, string> = user === "" ? {} : { "x-user": user };
  const body = message === undefined ? null : JSON.stringify({ message });
  const request = new Request("http://localhost/api/chat", { method, headers, body });
  const response = await (method === "POST" ? POST(request) : DELETE(request));
  return `${method} by ${user || "nobody"}: ${message ?? "forget me"}\n  ${response.status} ${await response.text()}`;
};

// Both are sent at once, as the first requests of this process, and share its connection.
const forgotten = await Promise.all([send("DELETE", "ada"), send("DELETE", "bob")]);
try {
  const told = await Promise.all([send("POST", "ada", "I am vegetarian."), send("POST", "bob", "I like fish.")]);
  const asked = await Promise.all([
    send("POST", "ada", "What do you know of me?"),
    send("POST", "bob", "What do you know of me?"),
  ]);
  const refused = await send("POST", "", "What do you know of me?");
  for (const line of [...forgotten, ...told, ...asked, refused]) console.log(line);
} finally {
  await connection().client?.close();
}
