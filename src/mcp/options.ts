import { z } from "zod";
import { checkOptions, countField } from "../core/settings/check-options.js";
import { memoryDefaults } from "../core/memory-options.js";
import type { MemoryRun } from "../langchain/memory-run.js";
import { checkMemorySource, type MemorySource } from "../langchain/memory-source.js";
import { type ChosenDialect, dialectField } from "../dialects/registry.js";
import { isHost } from "../core/values/hostnames.js";
import { packageVersion } from "../core/values/package-version.js";

/** The owner of the memory that the clients of a server use. */
export interface McpOwner {
  /** The thread of a `perThread` memory. No client can choose it. */
  threadId?: string | undefined;
  /** The user of a `perUser` memory. No client can choose it. */
  userId?: string | undefined;
}

/** A memory for MCP clients, and the tools with which they use it. */
export interface McpMemoryOptions extends McpOwner {
  /** The one memory that every client of the server sees. The caller closes the store behind it. */
  memory: MemorySource;
  /**
   * Which tools the server offers. A dialect is a name, a name with options (`{ name: "unified", toolName: "notes" }`),
   * or one of your own. No two dialects may have a tool of the same name.
   * @default ["unified"]
   */
  dialects?: ChosenDialect<MemoryRun>[] | undefined;
}

/** The options of `addMemoryTo`. */
export interface AddMemoryOptions extends McpMemoryOptions {
  /**
   * Whether clients see the files as resources `memory:///path`. Only one memory of a server can have resources.
   * @default true
   */
  resources?: boolean | undefined;
}

/** The options of `createMcpServer` and `serveStdio`, a server for one memory. */
export interface McpServerOptions extends McpMemoryOptions {
  /**
   * The names of the server: `name` for programs, `title` for people, and its `version`.
   * @default the name and the version of this package, and the title "Memory"
   */
  info?: { name?: string | undefined; title?: string | undefined; version?: string | undefined } | undefined;
}

/** The options of `serveHttp`, a server for any number of clients. */
export interface McpHttpOptions extends McpServerOptions {
  /** The address to listen on. Any address except a loopback one needs a token. @default "127.0.0.1" */
  host?: string | undefined;
  /** The port to listen on; 0 for any free one. @default 3000 */
  port?: number | undefined;
  /** The token that clients send as `Authorization: Bearer …`. @default none, if the host is a loopback address */
  token?: string | undefined;
  /**
   * Hosts of web pages that may call, without scheme and port, or `scheme://*`. The server tells their browsers so
   * (CORS). Pages of the loopback names may call by default, but can read no answer unless you name them here.
   * @default the loopback names
   */
  allowedOrigins?: string[] | undefined;
  /** Names under which the server may be called, without port. @default the loopback names, and `host` */
  allowedHosts?: string[] | undefined;
  /**
   * Longest request body, in bytes. All bodies together may have 16 times as much. The default is enough for a file of
   * 1,000,000 bytes, however JSON escapes its text: a control character becomes 6 bytes.
   * @default 6_100_000
   */
  maxBodyBytes?: number | undefined;
}

/** The path of the one endpoint. */
export const endpointPath = "/mcp";

const noHost = "must be a host without scheme and port";
const host = z.string().refine(isHost, noHost);
const origin = z.string().refine((given) => isHost(given) || /^[a-z][a-z0-9+.-]*:\/\/\*$/i.test(given), noHost);

const text = z.string().min(1);

const memoryFields = {
  memory: z.custom<MemorySource>().optional(),
  dialects: z.array(dialectField).min(1).default(["unified"]),
  threadId: text.optional(),
  userId: text.optional(),
};
const ownInfo = { name: "langgraph-mongo-memory", title: "Memory", version: packageVersion };
const info = z.strictObject({
  name: text.default(ownInfo.name),
  title: text.default(ownInfo.title),
  version: text.default(ownInfo.version),
});
const serverFields = { ...memoryFields, info: info.default(ownInfo) };

const schemas = {
  AddMemoryOptions: z.strictObject({ ...memoryFields, resources: z.boolean().default(true) }),
  McpServerOptions: z.strictObject(serverFields),
  McpHttpOptions: z.strictObject({
    ...serverFields,
    host: host.default("127.0.0.1"),
    port: z.number().int().min(0).max(65_535).default(3000),
    token: z
      .string()
      .min(1, "must not be empty; leave it out for a server on a loopback address that needs none")
      .regex(/^[\x21-\x7e]*$/, "must be printable ASCII characters without spaces")
      .optional(),
    allowedOrigins: z.array(origin).optional(),
    allowedHosts: z.array(host).optional(),
    maxBodyBytes: countField.default(6 * memoryDefaults.maxFileBytes + 100_000),
  }),
};

/** The options with their defaults. */
export type McpSettings<Name extends keyof typeof schemas> = z.output<(typeof schemas)[Name]> & {
  memory: MemorySource;
};

/** @throws TypeError */
export function parseMcpOptions<Name extends keyof typeof schemas>(
  name: Name,
  options: McpMemoryOptions,
): McpSettings<Name> {
  const schema = schemas[name];
  const settings = checkOptions<unknown>(name, schema, options, ["token"]);
  checkMemorySource(options.memory);
  // The schema with this name has produced the settings.
  return settings as McpSettings<Name>;
}
