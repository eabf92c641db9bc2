import { z } from "zod";
import type { MemoryScope } from "../core/values/address.js";
import type { Memory } from "../core/memory.js";
import { checkOptions } from "../core/settings/check-options.js";
import type { MongoMemoryStore } from "../mongodb/store/mongo-memory-store.js";

/** What visitors of a page may do: look, or also revert, redact, forget, approve and reject. */
export type MemoryPageAccess = "read" | "write";

/** Who looks at a page. */
export interface MemoryPageVisitor {
  /** Named in the history and in decisions. Without it the page asks for a name. */
  userId?: string | undefined;
  /** Narrows the access of the page for this visitor. @default that of the page */
  access?: MemoryPageAccess | undefined;
}

/** A node, with its mounts and rules. A MemoryNode is one. */
export interface MemoryPageNode {
  readonly nodeId: string;
  readonly scope: MemoryScope;
  /** Its memory, with its mounts, under its rules. @param owner the thread or the user of one that is not global */
  memory(owner?: string): Memory;
  /** What a connector shows where the memory of a thread or a user is empty. */
  globalMemory(): Memory;
}

/** The options of `createMemoryPage`. It needs a `token` or `authorize`. */
export interface MemoryPageOptions {
  /** Whose memories the page shows: all of them. The caller closes it. */
  store: MongoMemoryStore;
  /**
   * Nodes of your graph. The page then shows their memories as agents have them: with what is mounted in them, and with
   * the rights there. A mount whose memory is found by an asynchronous function cannot be shown. @default none
   */
  nodes?: readonly MemoryPageNode[] | undefined;
  /** Where the server has mounted the page, such as "/memory". @default "" */
  basePath?: string | undefined;
  /** @default "read" */
  access?: MemoryPageAccess | undefined;
  /**
   * What the browser must know, from the part `#token=…` of the address with which the page is opened: 16 to 512 of A-Z
   * a-z 0-9 - _. Without `authorize` the page then answers under the names of the loopback only. @default none
   */
  token?: string | undefined;
  /**
   * Decides who may see the page, for each request: true, false, who it is, or a Response to be sent instead, such as a
   * redirect to a login. If it throws, the request is refused. @default only the token decides, and only under the
   * names of the loopback
   */
  authorize?:
    | ((request: Request) => boolean | Response | MemoryPageVisitor | Promise<boolean | Response | MemoryPageVisitor>)
    | undefined;
}

export const pageDefaults = { basePath: "", access: "read" } as const;

const accessField = z.enum(["read", "write"], { message: 'must be "read" or "write"' });

const id = z.string().min(1).max(512);

export const visitorSchema = z.object({ userId: id.optional(), access: accessField.optional() }).strict();

const isFunction = (value: unknown): boolean => typeof value === "function";
const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

const optionsSchema = z
  .object({
    // By shape: the other build of this package has a class of its own.
    store: z.custom<MongoMemoryStore>(
      (store) => isObject(store) && isFunction(store["listMemories"]),
      "must be a MongoMemoryStore",
    ),
    basePath: z
      .string()
      .regex(/^(?:\/[\w.~-]+)*$/, 'must be "", or a path such as "/memory" without a slash at its end')
      .refine((path) => !/\/\.{1,2}(?:\/|$)/.test(path), 'must not hold "." or ".." as a name')
      .optional(),
    nodes: z
      .array(
        z.custom<MemoryPageNode>(
          (node) => isObject(node) && isFunction(node["memory"]) && isFunction(node["globalMemory"]),
          "must be a MemoryNode",
        ),
      )
      .optional(),
    access: accessField.optional(),
    token: z
      .string()
      .regex(/^[\w-]{16,512}$/, "must have 16 to 512 characters of A-Z a-z 0-9 - _")
      .optional(),
    authorize: z
      .custom<(request: Request) => unknown>(
        isFunction,
        "must be a function from a Request to a boolean, a visitor or a Response",
      )
      .optional(),
  })
  .strict();

/** @throws TypeError */
export function checkPageOptions(options: MemoryPageOptions): void {
  checkOptions("MemoryPageOptions", optionsSchema, options, ["token"]);
  if (options.token !== undefined || options.authorize !== undefined) return;
  throw new TypeError(
    "invalid MemoryPageOptions: pass `authorize`, which decides who may see the page, or a `token` for a page that is opened on this machine only",
  );
}
