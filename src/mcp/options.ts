import { z } from "zod";
import { checkOptions } from "../core/options.js";
import type { Dialect } from "../dialects/dialect.js";
import { checkMemorySource, type MemorySource } from "../dialects/memory-source.js";
import { type DialectName, dialectNames, isDialectName } from "../dialects/registry.js";
import { isHost } from "./hostnames.js";

/** A memory, and what an MCP server shows of it. */
export interface McpServerOptions {
  /** The one memory that every client of the server sees. The caller closes the store behind it. */
  memory: MemorySource;
  /**
   * Which tools are offered: dialects by name, with options of their own (`unifiedDialect`, `claudeDialect`,
   * `journalDialect`), or made elsewhere. No two may have a tool of one name.
   * @default ["unified"]
   */
  dialects?: (DialectName | Dialect)[] | undefined;
  /** The thread of a `perThread` memory. No client can choose it. */
  threadId?: string | undefined;
  /**
   * How often a memory that a client has subscribed to is looked at for changes made by other processes, in milliseconds.
   * Changes made through the server are told at once.
   * @default 2000
   */
  watchIntervalMs?: number | undefined;
  /** How many files `resources/list` tells at once. @default 500 */
  pageSize?: number | undefined;
}

/** What both transports take. */
export type McpServeOptions = McpServerOptions;

/** A server for the one client that started this process. */
export interface McpStdioOptions extends McpServeOptions {
  /** Longest message accepted, in bytes; a longer one is answered with an error and left out. @default 16_000_000 */
  maxMessageBytes?: number | undefined;
}

/** A server for any number of clients, and who may be one. */
export interface McpHttpOptions extends McpServeOptions {
  /** The address to listen on. Any but a loopback address needs a token. @default "127.0.0.1" */
  host?: string | undefined;
  /** 0 for any free one. @default 3000 */
  port?: number | undefined;
  /** What clients must send as `Authorization: Bearer …`. @default none, where the host is a loopback address */
  token?: string | undefined;
  /**
   * Hosts of web pages that may call, without scheme and port, or `scheme://*`. Their browsers are told so (CORS); pages of
   * the loopback names, which pass by default, can read no answer unless they are named here.
   * @default the loopback names
   */
  allowedOrigins?: string[] | undefined;
  /** Names under which the server may be called, without port. @default the loopback names, and `host` */
  allowedHosts?: string[] | undefined;
  /** Longest request body, in bytes. @default 16_000_000 */
  maxBodyBytes?: number | undefined;
  /** Most sessions at once; where there is no idle one left, a new one is refused with 503. @default 100 */
  maxSessions?: number | undefined;
  /** How long a session without any request or open stream is kept, in milliseconds. @default 1_800_000 (half an hour) */
  sessionIdleMs?: number | undefined;
}

/** The path of the one endpoint. */
export const endpointPath = "/mcp";

export const mcpDefaults = {
  watchIntervalMs: 2000,
  pageSize: 500,
  maxMessageBytes: 16_000_000,
  host: "127.0.0.1",
  port: 3000,
  maxBodyBytes: 16_000_000,
  maxSessions: 100,
  sessionIdleMs: 1_800_000,
} as const;

const dialectSchema = z.custom<DialectName | Dialect>(
  (value) => isDialect(value) || isDialectName(value),
  `must be one of ${dialectNames.join(", ")}, or a Dialect`,
);

const bytes = z.number().int().min(1);
// The longest interval that a timer takes.
const intervalMs = z.number().int().min(1).max(2 ** 31 - 1);
const noHost = "must be a host without scheme and port";
const host = z.string().refine(isHost, noHost);
const origin = z.string().refine((given) => isHost(given) || /^[a-z][a-z0-9+.-]*:\/\/\*$/i.test(given), noHost);

const serverFields = {
  memory: z.unknown().optional(),
  dialects: z.array(dialectSchema).min(1).optional(),
  threadId: z.string().min(1).optional(),
  watchIntervalMs: intervalMs.optional(),
  pageSize: z.number().int().min(1).optional(),
};

const serverSchema = z.object(serverFields).strict();
const stdioSchema = z.object({ ...serverFields, maxMessageBytes: bytes.optional() }).strict();
const httpSchema = z
  .object({
    ...serverFields,
    host: host.optional(),
    port: z.number().int().min(0).max(65_535).optional(),
    token: z.string().regex(/^[\x21-\x7e]+$/, "must be printable ASCII characters without spaces").optional(),
    allowedOrigins: z.array(origin).optional(),
    allowedHosts: z.array(host).optional(),
    maxBodyBytes: bytes.optional(),
    maxSessions: z.number().int().min(1).optional(),
    sessionIdleMs: intervalMs.optional(),
  })
  .strict();

const schemas = { McpServerOptions: serverSchema, McpStdioOptions: stdioSchema, McpHttpOptions: httpSchema };

/** @throws TypeError */
export function checkMcpOptions(name: keyof typeof schemas, options: McpServerOptions): void {
  checkOptions(name, schemas[name], options);
  checkMemorySource(options.memory);
}

function isDialect(value: unknown): value is Dialect {
  return typeof value === "object" && value !== null && "name" in value && "tools" in value && Array.isArray(value.tools);
}
