import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

/**
 * The agent's side: starts the server as a separate process and connects to it. The server decides which memory it
 * serves.
 */
export async function connectToMemory(): Promise<Client> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    // The same TypeScript loader that runs this program.
    args: [...process.execArgv, fileURLToPath(new URL("server.ts", import.meta.url))],
    env: process.env as Record<string, string>,
  });
  const client = new Client({ name: "example", version: "1.0.0" });
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
