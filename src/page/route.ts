import type { Context } from "hono";
import type { z } from "zod";
import type { ProposalSummary } from "../core/approval/memory-proposals.js";
import type { CheckedAddress } from "../core/values/address.js";
import type { DatabasePlace } from "../core/values/database-place.js";
import type { Memory } from "../core/memory.js";
import { describeFault, listFaults } from "../core/settings/faults.js";
import type {
  ForgottenCounts,
  MemoryFilter,
  MemoryOwner,
  MemorySummary,
  ProposalFilter,
} from "../mongodb/memories/addresses/memory-filter.js";
import { maxBodyBytes, readJson } from "./body.js";
import type { Visitor } from "./guard.js";
import type { MemoryPageNode } from "./options.js";
import { PageRefusal } from "./refusal.js";

/** The memories that a page shows. A MongoMemoryStore has all of it. */
export interface PageMemories {
  /** The place of the memories, if it is known. Every admitted visitor sees it. */
  place?: DatabasePlace | undefined;
  /** Any name can be created in it. */
  memory(address: CheckedAddress, access: "read" | "write"): Memory;
  /** Returns the node of a memory, if it is known. */
  nodeOf?(address: CheckedAddress): MemoryPageNode | undefined;
  listMemories(filter: MemoryFilter): AsyncIterable<MemorySummary>;
  listProposals(filter: ProposalFilter): AsyncIterable<ProposalSummary>;
  forget(who: CheckedAddress | MemoryOwner): Promise<ForgottenCounts>;
}

/** The variables that Hono passes on with a request. */
export interface PageEnv {
  Bindings: { admitted: Visitor | PageRefusal };
  Variables: { visitor: Visitor };
}

/** The arguments of a route. */
export interface RouteContext {
  memories: PageMemories;
  visitor: Visitor;
  /** Aborts when the browser has gone. */
  signal: AbortSignal;
  /** The context of Hono, for the response. */
  http: Context<PageEnv>;
}

/** The answers at one path below `/api/`. The types of the client come from here. */
export interface Route<Path extends string = string, Input = unknown, Answer extends object = object> {
  /** `POST` changes something. */
  method: "GET" | "POST";
  path: Path;
  /** The query, or the body, as the client writes it. Only for its type. */
  input?: Input;
  /** Returns a Response, or a value that is sent as JSON. @throws PageRefusal for a bad query or body */
  answer: (context: RouteContext) => Promise<Answer>;
}

/** A route whose query or body is checked by `schema`. @param maxBytes of a body */
export function route<Path extends string, Schema extends z.ZodType, Answer extends object>(
  method: Route["method"],
  path: Path,
  schema: Schema,
  answer: (input: z.output<Schema>, context: RouteContext) => Promise<Answer>,
  maxBytes: number = maxBodyBytes.call,
): Route<Path, z.input<Schema>, Answer> {
  const readInput = async ({ req }: Context): Promise<unknown> =>
    method === "POST" ? readJson(req.raw, maxBytes) : readQuery(req);
  return {
    method,
    path,
    answer: async (context) => answer(checkInput(schema, await readInput(context.http)), context),
  };
}

function checkInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const faults = listFaults(parsed.error.issues, (fault) => describeFault(fault, "the request"));
  throw new PageRefusal(400, "EINVAL", faults);
}

function readQuery(request: Context["req"]): Record<string, string> {
  if (Object.values(request.queries()).some(({ length }) => length > 1))
    throw new PageRefusal(400, "EINVAL", "a parameter of the query stands twice");
  return request.query();
}
