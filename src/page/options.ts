import type { IncomingMessage } from "node:http";
import { z } from "zod";
import type { MemoryActor } from "../core/values/actor.js";
import type { MemoryScope } from "../core/values/address.js";
import type { WithConnectorForm } from "../core/display/connector-form.js";
import type { Memory } from "../core/memory.js";
import { checkOptions, createFunctionField } from "../core/settings/check-options.js";
import { isOrigin, originRule } from "../core/values/hostnames.js";
import { hasMethod } from "../core/values/unknown-values.js";
import type { MongoMemoryStore } from "../mongodb/store/mongo-memory-store.js";

/** The rights of a page's visitors: to view only, or also to edit, revert, redact, forget, approve and reject. */
export type MemoryPageAccess = "read" | "write";

/** The person whose memories are all that a visitor may see. */
export interface PageOwner {
  userId: string;
}

/** A visitor of a page. */
export interface MemoryPageVisitor {
  /**
   * The name for the history and for decisions. Without it, the page requests a name. @default the `userId` of `owner`
   */
  userId?: string | undefined;
  /**
   * The person whose memories are all that the visitor may see: the memories of scope `perUser` of this user, with what
   * their nodes mount in them. @default the visitor sees all memories of the store
   */
  owner?: PageOwner;
  /** Limits the page's access for this visitor. @default that of the page */
  access?: MemoryPageAccess | undefined;
}

/** A node with its mounts and rules, such as a MemoryNode. */
export interface MemoryPageNode extends WithConnectorForm {
  readonly nodeId: string;
  readonly scope: MemoryScope;
  /** The directory of the log of the node's conversations. Null or missing without one. */
  readonly log?: { readonly path: string } | null;
  /**
   * Returns the node's memory with its mounts, under its rules. @param owner the thread or the user of a node that is
   * not global
   */
  memory(owner?: string): Memory;
  /** As `memory`, also without the thread or the user of a mount. @internal */
  memoryToShow?(owner?: string): Memory;
  /** Returns the memory that a connector shows if the memory of a thread or a user has no files. */
  globalMemory(): Memory;
  /** Returns the node's own memory for a person who edits it. Its guard and its limits apply. @internal */
  memoryForPerson?(owner: string | undefined, actor: MemoryActor): Memory;
}

/** The options of `createMemoryPage`. Either `token` or `authorize` is required. */
export interface MemoryPageOptions {
  /** The store whose memories the page shows: all of them. The caller closes the store. */
  store: MongoMemoryStore;
  /**
   * Nodes of your graph. The page then shows their memories as agents see them, with their mounts and rights, and the
   * message for a model as the first connector of the node writes it. What the page stores passes their guards. The page
   * cannot show the files of a node if an asynchronous function finds a mount. @default none
   */
  nodes?: readonly MemoryPageNode[] | undefined;
  /** The path at which the server has mounted the page, such as "/memory". @default "" */
  basePath?: string | undefined;
  /** The title of the page, in its header and in the title of the window. @default "langgraph-mongo-memory" */
  title?: string | undefined;
  /** `write`: the page can also edit files, revert, redact, forget, approve and reject. @default "read" */
  access?: MemoryPageAccess | undefined;
  /**
   * The secret that the browser must know, from the part `#token=…` of the address with which the page is opened: 16 to
   * 512 of A-Z a-z 0-9 - _. Without `authorize`, the page then answers only under the names of the loopback. @default
   * none
   */
  token?: string | undefined;
  /**
   * The origin of the page in the browser, such as "https://app.example.com". Set it behind a proxy that rewrites Host.
   * Changes are then accepted from this origin only, and the page also answers under its name. @default the Host of each
   * request
   */
  publicOrigin?: string | undefined;
  /**
   * Decides who may see the page, for each request: true, false, the visitor, or a Response to be sent instead, such as
   * a redirect to a login. If it throws, the request is refused. `nodeRequest` is the request of `node:http`, such as
   * that of Express with the session of a middleware before the page. @default only the token decides, and only under
   * the names of the loopback
   */
  authorize?:
    | ((
        request: Request,
        context: { nodeRequest: IncomingMessage | undefined },
      ) => boolean | Response | MemoryPageVisitor | Promise<boolean | Response | MemoryPageVisitor>)
    | undefined;
}

export const pageDefaults = { basePath: "", title: "langgraph-mongo-memory", access: "read" } as const;

const accessField = z.enum(["read", "write"], { message: 'must be "read" or "write"' });

const id = z.string().min(1).max(512);

export const visitorSchema = z.strictObject({
  userId: id.optional(),
  access: accessField.optional(),
  owner: z.strictObject({ userId: id }).optional(),
});

const optionsSchema = z.strictObject({
  // Checked by shape, because the other build of this package has its own class.
  store: z.custom<MongoMemoryStore>((store) => hasMethod(store, "listMemories"), "must be a MongoMemoryStore"),
  basePath: z
    .string()
    .regex(/^(?:\/[\w.~-]+)*$/, 'must be "", or a path such as "/memory" without a slash at its end')
    .refine((path) => !/\/\.{1,2}(?:\/|$)/.test(path), 'must not hold "." or ".." as a name')
    .optional(),
  nodes: z
    .array(
      z.custom<MemoryPageNode>(
        (node) => hasMethod(node, "memory") && hasMethod(node, "globalMemory"),
        "must be a MemoryNode",
      ),
    )
    .optional(),
  title: z.string().min(1).max(100).optional(),
  access: accessField.optional(),
  token: z
    .string()
    .regex(/^[\w-]{16,512}$/, "must have 16 to 512 characters of A-Z a-z 0-9 - _")
    .optional(),
  publicOrigin: z.string().refine(isOrigin, `must be ${originRule}`).optional(),
  authorize: createFunctionField<(request: Request) => unknown>(
    "must be a function from a Request to a boolean, a visitor or a Response",
  ).optional(),
});

/** @throws TypeError */
export function checkPageOptions(options: MemoryPageOptions): void {
  checkOptions("MemoryPageOptions", optionsSchema, options, ["token"]);
  if (options.token !== undefined || options.authorize !== undefined) return;
  throw new TypeError(
    "invalid MemoryPageOptions: pass `authorize`, which decides who may see the page, or a `token` for a page that " +
      "is opened on this machine only",
  );
}
