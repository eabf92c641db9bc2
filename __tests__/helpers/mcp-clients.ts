import { afterEach } from "@jest/globals";
import { Client, type ClientOptions, InMemoryTransport, type Transport } from "@modelcontextprotocol/client";
import type { McpServer } from "@modelcontextprotocol/server";

const clients: Client[] = [];

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

/** Revisions of the protocol by their beginning: with `initialize`, or, from 2026-07-28 on, without any session. */
export type Revision = "legacy" | "modern";

export const revisions: Revision[] = ["legacy", "modern"];

/** Connects the official client, and closes it after the test. */
export async function connectTo(
  transport: Transport,
  revision: Revision = "legacy",
  options: ClientOptions = {},
  info = { name: "test", version: "1.0.0" },
): Promise<Client> {
  const mode = revision === "legacy" ? "legacy" : { pin: "2026-07-28" };
  const client = new Client(info, { ...options, versionNegotiation: { mode } });
  clients.push(client);
  await client.connect(transport);
  return client;
}

export async function connectInMemory(server: McpServer, info?: { name: string; version: string }): Promise<Client> {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await server.connect(theirs);
  return connectTo(ours, "legacy", {}, info);
}

/** Returns the text of a tool's answer. */
export async function answerOf(client: Client, args: Record<string, unknown>, name = "memory"): Promise<string> {
  const { content } = await client.callTool({ name, arguments: args });
  const [first] = content;
  return first?.type === "text" ? first.text : "";
}
