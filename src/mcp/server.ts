import { McpServer, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { z } from "zod";
import { cancellation } from "./cancellation.js";
import { MemoryService } from "./memory-service.js";
import { type McpServerOptions, parseMcpOptions } from "./options.js";
import { fileTemplate, inProtocol, listFiles, readFile } from "./resources.js";
import { createCallerReader } from "./run-of-server.js";

const callMethod = "tools/call";
const uriParams = z.object({ uri: z.string() });

/**
 * Creates an MCP server for one memory. It has the tools of the dialects, and the files as resources `memory:///path`.
 * Connect the server to one transport. For a whole server over stdio or HTTP see `serveStdio` and `serveHttp`.
 *
 * Refusals and failures of a tool are answers with `isError`, in the dialect's own form. You cannot register more tools
 * and resources on this server: `addMemoryTo` adds a memory to a server that has its own tools.
 *
 * @throws TypeError for bad options, or two tools of one name
 */
export function createMcpServer(options: McpServerOptions): McpServer {
  return createServerFor(new MemoryService(parseMcpOptions("McpServerOptions", options)));
}

/** @param method the method of the only request that the server receives, if that is known */
export function createServerFor(service: MemoryService, method: string | null = callMethod): McpServer {
  const mcp = new McpServer(service.info, { instructions: service.instructions });
  mcp.server.registerCapabilities({ tools: {}, resources: {} });
  setTools(mcp, service, method === callMethod);
  setResources(mcp, service);
  return mcp;
}

function setTools({ server }: McpServer, service: MemoryService, takesCalls: boolean): void {
  server.setRequestHandler("tools/list", { params: z.object({}) }, () => ({ tools: service.toolList }));
  // If a fallback is set, the SDK answers an unknown method of 2026-07-28 with 200. That revision requires 404.
  if (!takesCalls) return;
  // The fallback handles `tools/call`. For a handler of that method the SDK would check `arguments` itself, and answer
  // bad arguments with a dump of its schema.
  const readCaller = createCallerReader(server);
  server.fallbackRequestHandler = ({ method, params }, context) => {
    if (method === callMethod) return service.call(params, cancellation(context.mcpReq.signal), readCaller(context));
    throw new ProtocolError(ProtocolErrorCode.MethodNotFound, "Method not found");
  };
}

function setResources({ server }: McpServer, service: MemoryService): void {
  const openMemory = () => inProtocol(undefined, () => service.openMemory());
  server.setRequestHandler(
    "resources/list",
    { params: z.object({ cursor: z.string().optional() }) },
    async ({ cursor }) => listFiles(await openMemory(), cursor, service.bounds.pageSize),
  );
  server.setRequestHandler("resources/templates/list", { params: z.object({}) }, () => ({
    resourceTemplates: [fileTemplate],
  }));
  server.setRequestHandler("resources/read", { params: uriParams }, async ({ uri }) =>
    readFile(await openMemory(), uri),
  );
}
