import { McpServer, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { MemoryChange } from "./change-watch.js";
import { MemoryService } from "./memory-service.js";
import { checkMcpOptions, type McpServerOptions } from "./options.js";
import { fileTemplate, inProtocol, listFiles, pathOfUri, readFile, uriOf } from "./resources.js";
import { packageVersion } from "./version.js";

/**
 * An MCP server for one memory: the tools of its dialects, and its files as resources `memory:///path`. Connect it to one
 * transport; for a whole server over stdio or HTTP see `serveStdio` and `serveHttp`.
 *
 * Refusals and failures of a tool are answers with `isError`, in the dialect's own form. Clients of the revisions up to
 * 2025-11-25 can subscribe to files; those of 2026-07-28 need `serveStdio` or `serveHttp` for that. Further tools and
 * resources cannot be registered on it; pass a dialect of your own.
 *
 * @throws TypeError for bad options, or two tools of one name
 */
export function createMcpServer(options: McpServerOptions): McpServer {
  checkMcpOptions("McpServerOptions", options);
  return serverFor(new MemoryService(options), { tellsChanges: true });
}

/** @param options.tellsChanges whether this connection itself tells its client of changes, as before 2026-07-28 */
export function serverFor(service: MemoryService, { tellsChanges }: { tellsChanges: boolean }): McpServer {
  const info = { name: "langgraph-mongo-memory", title: "Memory", version: packageVersion };
  const mcp = new McpServer(info, { instructions: service.instructions });
  mcp.server.registerCapabilities({ tools: {}, resources: { subscribe: true, listChanged: true } });
  setTools(mcp, service);
  setResources(mcp, service, tellsChanges);
  return mcp;
}

function setTools({ server }: McpServer, service: MemoryService): void {
  server.setRequestHandler("tools/list", { params: z.object({}) }, () => ({ tools: service.toolList }));
  // With a handler for `tools/call` the SDK would check `arguments` itself, and answer bad ones with a dump of its schema.
  server.fallbackRequestHandler = ({ method, params }) => {
    if (method === "tools/call") return service.call(params);
    throw new ProtocolError(ProtocolErrorCode.MethodNotFound, "Method not found");
  };
}

function setResources(mcp: McpServer, service: MemoryService, tellsChanges: boolean): void {
  const { server } = mcp;
  const openMemory = () => inProtocol(undefined, async () => service.openMemory());
  // How the client has spelled the URIs of the paths it is subscribed to.
  const subscriptions = new Map<string, string>();
  const watcher = {
    isOpen: () => mcp.isConnected(),
    isSubscribed: () => subscriptions.size > 0,
    tell: (change: MemoryChange) => tellChange(mcp, change, (path) => subscriptions.get(path)),
  };
  const uriParams = z.object({ uri: z.string() });

  server.setRequestHandler("resources/list", { params: z.object({ cursor: z.string().optional() }) }, async ({ cursor }) => {
    if (tellsChanges) {
      // A client that has a list is told when it changes, by changes made through this server at least.
      service.watch.add(watcher);
      await inProtocol(undefined, () => service.watch.look());
    }
    return listFiles(await openMemory(), cursor, service.pageSize);
  });
  server.setRequestHandler("resources/templates/list", { params: z.object({}) }, () => ({ resourceTemplates: [fileTemplate] }));
  server.setRequestHandler("resources/read", { params: uriParams }, async ({ uri }) => readFile(await openMemory(), uri));
  server.setRequestHandler("resources/subscribe", { params: uriParams }, async ({ uri }) => {
    const path = pathOfUri(uri);
    subscriptions.set(path, uri);
    service.watch.add(watcher);
    try {
      await inProtocol(undefined, () => service.watch.look());
    } catch (error) {
      subscriptions.delete(path);
      throw error;
    }
    return {};
  });
  server.setRequestHandler("resources/unsubscribe", { params: uriParams }, ({ uri }) => {
    subscriptions.delete(pathOfUri(uri));
    return {};
  });
}

/** @param uriFor how a changed file is named to the client, undefined where it does not want to know. */
export function tellChange(mcp: McpServer, { isListChanged, paths }: MemoryChange, uriFor: (path: string) => string | undefined = uriOf): void {
  // Where a notification cannot be sent, the client has gone.
  const lost = () => {};
  if (isListChanged) mcp.server.sendResourceListChanged().catch(lost);
  for (const path of paths) {
    const uri = uriFor(path);
    if (uri !== undefined) mcp.server.sendResourceUpdated({ uri }).catch(lost);
  }
}
