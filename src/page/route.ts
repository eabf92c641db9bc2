import type { z } from "zod";
import type { CheckedAddress } from "../core/values/address.js";
import type { Memory } from "../core/memory.js";
import type {
  ForgottenCounts,
  MemoryFilter,
  MemoryOwner,
  MemorySummary,
} from "../mongodb/memories/addresses/memory-filter.js";
import { checkInput } from "./fields.js";
import type { Visitor } from "./guard.js";
import type { MemoryPageNode } from "./options.js";
import type { WatchLimit } from "./watch-limit.js";

/** The memories that a page shows. A MongoMemoryStore has all of it. */
export interface PageMemories {
  /** Any name can be created in it. */
  memory(address: CheckedAddress, access: "read" | "write"): Memory;
  /** The node of a memory, where it is known. */
  nodeOf?(address: CheckedAddress): MemoryPageNode | undefined;
  listMemories(filter: MemoryFilter): AsyncIterable<MemorySummary>;
  forget(who: CheckedAddress | MemoryOwner): Promise<ForgottenCounts>;
}

/** What a route answers from. */
export interface RouteContext {
  memories: PageMemories;
  visitor: Visitor;
  /** Aborts when the browser has gone. */
  signal: AbortSignal;
  watched: WatchLimit;
}

/** What the page answers at one path below `/api/`. */
export interface Route {
  /** `POST` changes something. */
  method: "GET" | "POST";
  path: string;
  /** What is no Response becomes one, as JSON. @throws PageRefusal for a bad query or body */
  answer: (input: unknown, context: RouteContext) => Promise<unknown>;
}

/** A route whose query or body is checked by `schema`. */
export function route<Schema extends z.ZodType>(
  method: Route["method"],
  path: string,
  schema: Schema,
  answer: (input: z.output<Schema>, context: RouteContext) => Promise<unknown>,
): Route {
  return { method, path, answer: (input, context) => answer(checkInput(schema, input), context) };
}
