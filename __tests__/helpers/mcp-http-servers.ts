import { afterEach } from "@jest/globals";
import { InMemoryStore } from "@langchain/langgraph";
import { type Memory, openMemory } from "../../src/index.js";
import type { McpHttpOptions, McpHttpServer } from "../../src/mcp/index.js";
import { type ServerBounds, serverBounds } from "../../src/mcp/bounds.js";
import { listen } from "../../src/mcp/http/serve-http.js";
import { parseMcpOptions } from "../../src/mcp/options.js";

const servers: McpHttpServer[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

/** Starts an HTTP server of a new memory, or of the memory in the options. Closes it after the test. */
export async function serve(
  options: Partial<McpHttpOptions> = {},
  bounds: Partial<ServerBounds> = {},
): Promise<{ url: string; memory: Memory; server: McpHttpServer }> {
  const memory = openMemory(new InMemoryStore(), { nodeId: "n" });
  const settings = parseMcpOptions("McpHttpOptions", { memory, port: 0, ...options });
  const server = await listen(settings, { ...serverBounds, ...bounds });
  servers.push(server);
  return { url: server.url, memory, server };
}
