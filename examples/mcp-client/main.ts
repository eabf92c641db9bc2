import { deepEqual, equal } from "node:assert/strict";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { say } from "../shared/print.js";

// A client starts its server as a process of its own. Which memory it serves is the server's affair.
const transport = new StdioClientTransport({
  command: process.execPath,
  args: [...process.execArgv, fileURLToPath(new URL("./server.ts", import.meta.url))],
  env: process.env as Record<string, string>,
});
const client = new Client({ name: "example", version: "1.0.0" });
const changes = new EventTarget();
client.setNotificationHandler("notifications/resources/updated", ({ params }) => {
  changes.dispatchEvent(new Event(params.uri));
});
await client.connect(transport);

try {
  say(`Connected to ${client.getServerVersion()?.name}.\n\nIts tools:`);
  for (const { name, title, annotations, inputSchema } of (await client.listTools()).tools) {
    const kind = annotations?.readOnlyHint ? "only reads" : annotations?.destructiveHint ? "can take away" : "adds";
    say(`  ${name} (${title}, ${kind}): ${Object.keys(inputSchema.properties ?? {}).join(", ")}`);
  }

  // An earlier run may have left notes in MongoDB.
  await call({ command: "delete", path: "/" });
  say("");
  await print({ command: "append", path: "/notes/tea time", content: "Ada takes milk." });
  await print({ command: "read", path: "/notes/coffee" });

  say("\nIts resources:");
  const { resources } = await client.listResources();
  for (const { uri, name, mimeType, size } of resources) say(`  ${uri}: ${name}, ${mimeType}, ${size} bytes`);
  deepEqual(resources.map(({ uri }) => uri), ["memory:///notes/tea%20time"]);

  const [uri = ""] = resources.map((resource) => resource.uri);
  await client.subscribeResource({ uri });
  const changed = once(changes, uri);
  say("");
  await print({ command: "update", path: "/notes/tea time", oldContent: "milk", content: "lemon" });
  await changed;
  say(`The server has told that ${uri} changed.`);
  const { contents: [file] } = await client.readResource({ uri });
  const text = file && "text" in file ? file.text : "";
  say(`It reads now: ${text}`);
  equal(text, "Ada takes lemon.");
} finally {
  await client.close();
}

/** Refusals are answers too, marked as errors: the model reads them and goes on. */
async function call(args: Record<string, unknown>): Promise<string> {
  const { content: [first], isError } = await client.callTool({ name: "memory", arguments: args });
  return `${isError ? "refused: " : ""}${first?.type === "text" ? first.text : ""}`;
}

async function print(args: Record<string, unknown>): Promise<void> {
  say(`memory(${JSON.stringify(args)})\n  ${await call(args)}`);
}
