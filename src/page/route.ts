import type { Context } from "hono";
import type { z } from "zod";
import type { CheckedAddress } from "../core/values/address.js";
import type { Memory } from "../core/memory.js";
import { memoryDefaults } from "../core/memory-options.js";
import type {
  ForgottenCounts,
  MemoryFilter,
  MemoryOwner,
  MemorySummary,
} from "../mongodb/memories/addresses/memory-filter.js";
import type { Visitor } from "./guard.js";
import type { MemoryPageNode } from "./options.js";
import { PageRefusal } from "./refusal.js";

/** The memories that a page shows. A MongoMemoryStore has all of it. */
export interface PageMemories {
  /** Any name can be created in it. */
  memory(address: CheckedAddress, access: "read" | "write"): Memory;
  /** The node of a memory, where it is known. */
  nodeOf?(address: CheckedAddress): MemoryPageNode | undefined;
  listMemories(filter: MemoryFilter): AsyncIterable<MemorySummary>;
  forget(who: CheckedAddress | MemoryOwner): Promise<ForgottenCounts>;
}

/** Counts the memories that a page watches. On a replica set each keeps a connection busy. */
export interface WatchCount {
  readonly max: number;
  current: number;
}

/** What Hono hands on with a request. */
export interface PageEnv {
  Bindings: { admitted: Visitor | PageRefusal };
  Variables: { visitor: Visitor };
}

/** What a route answers from. */
export interface RouteContext {
  memories: PageMemories;
  visitor: Visitor;
  /** Aborts when the browser has gone. */
  signal: AbortSignal;
  watched: WatchCount;
  /** Of the answer. */
  http: Context<PageEnv>;
}

/** What the page answers at one path below `/api/`. */
export interface Route {
  /** `POST` changes something. */
  method: "GET" | "POST";
  path: string;
  /** What is no Response becomes one, as JSON. @throws PageRefusal for a bad query or body */
  answer: (context: RouteContext) => Promise<object>;
}

/** A route whose query or body is checked by `schema`. */
export function route<Schema extends z.ZodType>(
  method: Route["method"],
  path: string,
  schema: Schema,
  answer: (input: z.output<Schema>, context: RouteContext) => Promise<object>,
): Route {
  const readInput = method === "POST" ? readJson : readQuery;
  return {
    method,
    path,
    answer: async (context) => answer(checkInput(schema, await readInput(context.http)), context),
  };
}

function checkInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map(
    ({ path, message }) => `${path.length === 0 ? "the request" : path.join(".")}: ${message}`,
  );
  throw new PageRefusal(400, "EINVAL", issues.join("; "));
}

function readQuery({ req }: Context): Record<string, string> {
  if (Object.values(req.queries()).some(({ length }) => length > 1))
    throw new PageRefusal(400, "EINVAL", "a parameter of the query stands twice");
  return req.query();
}

/** Enough for a file of the default size, however JSON escapes it. */
export const maxBodyBytes = 6 * memoryDefaults.maxFileBytes + 100_000;

const utf8 = new TextDecoder("utf-8", { fatal: true });

async function readJson({ req }: Context): Promise<unknown> {
  const bytes = await req.arrayBuffer();
  try {
    const value: unknown = JSON.parse(utf8.decode(bytes));
    return value;
  } catch {
    throw new PageRefusal(400, "EINVAL", "the body is not valid JSON in UTF-8");
  }
}
