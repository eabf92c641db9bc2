import { type McpServer, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { z } from "zod";
import { cancellation } from "./cancellation.js";
import type { ResourceChange } from "./change-watch.js";
import { MemoryService } from "./memory-service.js";
import { type McpServerOptions, parseMcpOptions } from "./options.js";
import { fileTemplate, inProtocol, listFiles, parseUri, readFile, toUri } from "./resources.js";
import { createCallerReader } from "./run-of-server.js";
import { ShortErrorServer } from "./short-errors.js";
import { readVersions, getVersionTemplates } from "./versions.js";

/** Only revision 2026-07-28 has this method. The SDK answers it. */
export const listenMethod = "subscriptions/listen";
const callMethod = "tools/call";
const uriParams = z.object({ uri: z.string() });

/**
 * Creates an MCP server for one memory. It has the tools of the dialects, the files as resources `memory:///path`, and
 * the versions of the files if the memory has a history. Connect the server to one transport. For a whole server over
 * stdio or HTTP see `serveStdio` and `serveHttp`.
 *
 * Refusals and failures of a tool are answers with `isError`, in the dialect's own form. Clients of the revisions up to
 * 2025-11-25 can subscribe to files; clients of 2026-07-28 need `serveStdio` or `serveHttp` for that. You cannot
 * register more tools and resources on this server: `addMemoryTo` adds a memory to a server that has its own tools.
 *
 * @throws TypeError for bad options, or two tools of one name
 */
export function createMcpServer(options: McpServerOptions): McpServer {
  return createServerFor(new MemoryService(parseMcpOptions("McpServerOptions", options)), "server");
}

/**
 * The way in which clients learn of changes: by notifications of this server, by streams of the SDK (revision
 * 2026-07-28), or not at all.
 */
export type ChangeReports = "server" | "stream" | "none";

/** @param method the method of the only request that the server receives, if that is known */
export function createServerFor(
  service: MemoryService,
  reports: ChangeReports,
  method: string | null = callMethod,
): McpServer {
  const mcp = new ShortErrorServer(service.info, { instructions: service.instructions });
  const isReporting = reports !== "none";
  mcp.server.registerCapabilities({ tools: {}, resources: { subscribe: isReporting, listChanged: isReporting } });
  setTools(mcp, service, method === callMethod);
  setResources(mcp, service, reports === "server" ? setSubscriptions(mcp, service) : async () => {});
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

/** @param onList called before the files are listed */
function setResources({ server }: McpServer, service: MemoryService, onList: () => Promise<void>): void {
  const openMemory = () => inProtocol(undefined, () => service.openMemory());
  server.setRequestHandler(
    "resources/list",
    { params: z.object({ cursor: z.string().optional() }) },
    async ({ cursor }) => {
      await onList();
      return listFiles(await openMemory(), cursor, service.bounds.pageSize);
    },
  );
  server.setRequestHandler("resources/templates/list", { params: z.object({}) }, async () => ({
    resourceTemplates: [fileTemplate, ...getVersionTemplates(await openMemory())],
  }));
  server.setRequestHandler("resources/read", { params: uriParams }, async ({ uri }) => {
    const memory = await openMemory();
    return (await readVersions(memory, uri)) ?? readFile(memory, uri);
  });
}

/** Lets the client subscribe to files. Returns a function that subscribes it to the list of files. */
function setSubscriptions(mcp: McpServer, service: MemoryService): () => Promise<void> {
  const { server } = mcp;
  // Stores paths, because the URIs of a client may have any length.
  const subscriptions = new Set<string>();
  const watcher = {
    isOpen: () => mcp.isConnected(),
    isSubscribed: () => subscriptions.size > 0,
    notify: (change: ResourceChange) => reportChange(mcp, change, (path) => subscriptions.has(path)),
  };
  const watch = (): Promise<void> => {
    service.watch.add(watcher);
    return inProtocol(undefined, () => service.watch.refresh());
  };
  // Ends the watch with the connection, because the watch keeps the process alive. The SDK has only this one property.
  Object.assign(server, { onclose: () => void service.watch.refresh().catch(() => undefined) });

  server.setRequestHandler("resources/subscribe", { params: uriParams }, async ({ uri }) => {
    const path = parseUri(uri);
    const { maxSubscriptions } = service.bounds;
    if (subscriptions.size >= maxSubscriptions && !subscriptions.has(path)) {
      const message = `at most ${maxSubscriptions} files can be subscribed to at once; unsubscribe from others first`;
      throw new ProtocolError(ProtocolErrorCode.InvalidRequest, message);
    }
    subscriptions.add(path);
    try {
      await watch();
    } catch (error) {
      subscriptions.delete(path);
      throw error;
    }
    return {};
  });
  server.setRequestHandler("resources/unsubscribe", { params: uriParams }, ({ uri }) => {
    subscriptions.delete(parseUri(uri));
    return {};
  });
  return watch;
}

/** @param isWanted whether the client subscribed to a file */
export function reportChange(
  mcp: McpServer,
  { isListChanged, paths }: ResourceChange,
  isWanted: (path: string) => boolean = () => true,
): void {
  // If a notification cannot be sent, the client has gone.
  const lost = () => {};
  if (isListChanged) mcp.server.sendResourceListChanged().catch(lost);
  for (const path of paths) {
    if (isWanted(path)) mcp.server.sendResourceUpdated({ uri: toUri(path) }).catch(lost);
  }
}
