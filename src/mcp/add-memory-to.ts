import {
  fromJsonSchema,
  type jsonSchemaValidator,
  type JsonSchemaValidatorResult,
  type McpServer,
  ResourceTemplate,
} from "@modelcontextprotocol/server";
import type { Memory } from "../core/memory.js";
import { toolsByName } from "../dialects/registry.js";
import { getKnownMemory, openMemoryForRun } from "../langchain/memory-source.js";
import { cancellation } from "./cancellation.js";
import { type AddMemoryOptions, parseMcpOptions } from "./options.js";
import { fileTemplate, inProtocol, listFiles, readFile } from "./resources.js";
import { createCallerReader, type McpCaller, createServerRun } from "./run-of-server.js";
import { describeTool, runTool } from "./tools.js";

/**
 * Adds a memory to an MCP server that has its own tools. The dialects define the tools of the memory, and its files are
 * resources `memory:///path`. Refusals and failures of a tool are answers with `isError`, in the dialect's own form.
 *
 * The server lists all files at once. A server of `createMcpServer`, `serveStdio` or `serveHttp` lists them in pages.
 *
 * @throws TypeError for bad options, or if two tools have the same name
 * @throws Error of the SDK if the server already has a tool of that name
 */
export function addMemoryTo(server: McpServer, options: AddMemoryOptions): void {
  const settings = parseMcpOptions("AddMemoryOptions", options);
  const { memory, dialects, resources } = settings;
  const openMemory = (signal?: AbortSignal, caller?: McpCaller): Promise<Memory> =>
    openMemoryForRun(memory, createServerRun(settings, signal, caller));
  const readCaller = createCallerReader(server.server);
  for (const definition of toolsByName(dialects, getKnownMemory(memory)).values()) {
    const { name, ...described } = describeTool(definition);
    server.registerTool(
      name,
      { ...described, inputSchema: fromJsonSchema(definition.schema, trusting) },
      (args, context) =>
        runTool(definition, args ?? {}, () => openMemory(cancellation(context.mcpReq.signal), readCaller(context))),
    );
  }
  if (resources) addFiles(server, openMemory);
}

/** Accepts everything, because the dialects check their arguments, and answer bad arguments in their own form. */
const trusting: jsonSchemaValidator = {
  getValidator:
    <T>() =>
    // The caller chooses the type `T`.
    (input): JsonSchemaValidatorResult<T> => ({ valid: true, data: input as T, errorMessage: undefined }),
};

function addFiles(server: McpServer, openMemory: () => Promise<Memory>): void {
  const open = () => inProtocol(undefined, openMemory);
  const list = async () => listFiles(await open(), undefined, Infinity);
  // The template has no title and no description, because the SDK would add them to each file.
  server.registerResource("memory", new ResourceTemplate(fileTemplate.uriTemplate, { list }), {}, async ({ href }) =>
    readFile(await open(), href),
  );
}
