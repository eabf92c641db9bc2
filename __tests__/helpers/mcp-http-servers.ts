import { afterEach } from "@jest/globals";
import { InMemoryStore } from "@langchain/langgraph";
import type { Memory } from "../../src/core/memory.js";
import { type McpHttpOptions, type McpHttpServer, serveHttp } from "../../src/mcp/index.js";
import { openMemory } from "../../src/open-memory.js";

const servers: McpHttpServer[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

/** Starts an HTTP server of a new memory, or of the memory in the options. Closes it after the test. */
export async function serve(
  options: Partial<McpHttpOptions> = {},
): Promise<{ url: string; memory: Memory; server: McpHttpServer }> {
  const memory = openMemory(new InMemoryStore(), { nodeId: "n" });
  const server = await serveHttp({ memory, port: 0, ...options });
  servers.push(server);
  return { url: server.url, memory, server };
}
