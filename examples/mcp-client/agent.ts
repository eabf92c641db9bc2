import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

/**
 * An agent's side: starts the server as a process of its own, and connects to it. Which memory it serves is the
 * server's affair.
 * @param onChange is told the URI of a file that has changed, of those that the client has subscribed to
 */
export async function connectToMemory(onChange: (uri: string) => void): Promise<Client> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    // With the loader of TypeScript that runs this program.
    args: [...process.execArgv, fileURLToPath(new URL("server.ts", import.meta.url))],
    env: process.env as Record<string, string>,
  });
  const client = new Client({ name: "example", version: "1.0.0" });
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => onChange(params.uri));
  await client.connect(transport);
  return client;
}

/** Calls the memory's tool. Refusals are answers too, marked as errors: a model reads them and goes on. */
export async function callMemory(client: Client, args: Record<string, string>): Promise<string> {
  const {
    content: [first],
    isError,
  } = await client.callTool({ name: "memory", arguments: args });
  return `${isError ? "refused: " : ""}${first?.type === "text" ? first.text : ""}`;
}
