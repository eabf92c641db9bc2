import { equal, match } from "node:assert/strict";
import { chooseModel } from "../shared/choose-model.js";
import { say } from "../shared/print.js";
import { connection, connectionsMade } from "./connection.js";
import { DELETE, POST } from "./route.js";
import { script } from "./script.js";

/** Calls the handlers as a server does. */
const send = async (method: "POST" | "DELETE", user: string, message?: string): Promise<string> => {
  const headers: Record<string, string> = user === "" ? {} : { "x-user": user };
  const body = message === undefined ? null : JSON.stringify({ message });
  const request = new Request("http://localhost/api/chat", { method, headers, body });
  const response = await (method === "POST" ? POST(request) : DELETE(request));
  return `${method} by ${user || "nobody"}: ${message ?? "forget me"}\n  ${response.status} ${await response.text()}`;
};

// Both at once, and the first of this process: the second waits for the connection that the first makes.
const forgotten = await Promise.all([send("DELETE", "ada"), send("DELETE", "bob")]);

const { name: storeName, close } = await connection();
try {
  const { name: modelName } = await chooseModel(script);
  say(`Store: ${storeName}\nModel: ${modelName}\n`);

  const told = await Promise.all([send("POST", "ada", "I am vegetarian."), send("POST", "bob", "I like fish.")]);
  const asked = await Promise.all([send("POST", "ada", "What do you know of me?"), send("POST", "bob", "What do you know of me?")]);
  const refused = await send("POST", "", "What do you know of me?");
  for (const line of [...forgotten, ...told, ...asked, refused]) say(line);

  match(asked[0], /vegetarian/, "the memory outlasts the request");
  match(asked[1], /fish/, "and is each user's own");
  match(refused, /401/, "without a user there is none");

  // As a development server loads a changed file: anew, in the same process.
  const reloaded = (await import(new URL("connection.ts?changed", import.meta.url).href)) as { connection: typeof connection };
  equal(await reloaded.connection(), await connection(), "the connection outlasts the module");
  equal(connectionsMade(), 1);
  say(`\nConnections made: ${connectionsMade()}`);
} finally {
  await close();
}
