import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

/**
 * The agent's side: starts the server as a separate process and connects to it. The server decides which memory it
 * serves.
 * @param onChange receives the URI of each changed file to which the client has subscribed
 */
export async function connectToMemory(onChange: (uri: string) => void): Promise<Client> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    // The same TypeScript loader that runs this program.
    args: [...process.execArgv, fileURLToPath(new URL("server.ts", import.meta.url))],
    env: process.env as Record<string, string>,
  });
  const client = new Client({ name: "example", version: "1.0.0" });
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => onChange(params.uri));
  await client.connect(transport);
  return client;
}

/** Calls the memory's tool. Refusals are answers, too, marked as errors: a model reads them and goes on. */
export async function callMemory(client: Client, args: Record<string, string>): Promise<string> {
  const {
    content: [first],
    isError,
  } = await client.callTool({ name: "memory", arguments: args });
  return `${isError ? "refused: " : ""}${first?.type === "text" ? first.text : ""}`;
}
