import { z } from "zod";
import type { ApprovalRequester } from "./approval-requester.js";
import { checkOptions, createFunctionField } from "../settings/check-options.js";
import type { MemoryActor } from "../values/actor.js";
import type { CheckedAddress } from "../values/address.js";
import { MemoryError } from "../values/errors.js";
import { compilePathPattern } from "../values/path-pattern.js";
import { isWithin, joinPaths, ROOT } from "../values/paths.js";

/**
 * Which calls are allowed.
 *
 * - `write`: everything.
 * - `append`: read, create files, and add to the end of files. Existing text cannot be changed or deleted.
 * - `read`: read.
 * - `ask`: read, and make changes that a person approves.
 */
export type MemoryAccess = "write" | "append" | "read" | "ask";

/** Limits what is allowed on some paths. */
export interface MemoryRule {
  /**
   * Absolute. `*` matches any text within a name, `?` one character of a name, and the name `**` any number of names:
   * `/policies/**` is `/policies` and everything below it.
   */
  path: string;
  access: MemoryAccess;
}

/** A text that is about to be stored. */
export interface GuardedChange {
  command: "append" | "write" | "update" | "edit";
  path: string;
  /** append: the text to add. update: the text that replaces another. write and edit: the whole text of the file. */
  content: string;
  address: CheckedAddress;
  /** The author of the change: the run, and the actor that a program gave to `with`. Null if neither is known. */
  actor: MemoryActor | null;
}

/**
 * Receives each text before it is stored. The guard returns nothing to store the text, or another text to store
 * instead. If the guard throws, nothing is stored, and the call is EACCES with the guard's message. The guard can run
 * again for the same change: if another change came first, when `learn` checks an answer, and when a person approves.
 */
export type MemoryGuard = (change: GuardedChange) => string | undefined | void | Promise<string | undefined | void>;

/** The access that a change needs on a path. */
export type NeededAccess = "write" | "append";

/** `ask`: a person decides. */
type Decision = "allow" | "ask" | "deny";

/** Restrictions of a memory. */
export interface MemoryPolicy {
  /** The first rule whose path fits decides. No rule: everything is allowed. @default none */
  rules?: readonly MemoryRule[] | undefined;
  guard?: MemoryGuard | undefined;
}

export interface CheckedRule {
  access: MemoryAccess;
  path: string;
  fits: (path: string) => boolean;
  /** A directory that a delete of the root keeps. @default the delete is refused if the rule denies it */
  keeps?: string;
}

/** A checked policy, with the actor and the mount point that it applies to. */
export interface CheckedPolicy {
  /** The access to all paths that no rule matches, which is the access of a mount. */
  readonly access: MemoryAccess;
  readonly rules: readonly CheckedRule[];
  readonly guard?: MemoryGuard | undefined;
  readonly actor?: MemoryActor | null;
  /** Requests approvals for this policy and all others of the memory. The innermost requester is used. */
  readonly requester?: ApprovalRequester;
  /** The mount point of the memory in a tree. Rules, guard and messages use the paths of this tree. @default "/" */
  readonly mountPoint?: string;
}

/**
 * The checks that do not apply to texts that no model chooses. `review`: no person is asked, and no guard sees a text.
 * `rules`: the rules do not apply either. The access of a mount always applies.
 */
export type SkippedChecks = "review" | "rules";

export const decisions = {
  write: { append: "allow", write: "allow" },
  append: { append: "allow", write: "deny" },
  ask: { append: "ask", write: "ask" },
  read: { append: "deny", write: "deny" },
} as const satisfies Record<MemoryAccess, Record<NeededAccess, Decision>>;

/** The access of a policy to a path of its memory. */
export function getAccess(policy: CheckedPolicy, path: string): MemoryAccess {
  const treePath = joinPaths(policy.mountPoint ?? ROOT, path);
  return policy.rules.find(({ fits }) => fits(treePath))?.access ?? policy.access;
}

/** Returns the path in the memory, or its root for a path above it. Null for a path outside of it. */
export function fromTreePath(
  { mountPoint = ROOT }: Pick<CheckedPolicy, "mountPoint">,
  treePath: string,
): string | null {
  if (mountPoint === ROOT) return treePath;
  if (isWithin(mountPoint, treePath)) return ROOT;
  return isWithin(treePath, mountPoint) ? treePath.slice(mountPoint.length) : null;
}

const maxRules = 100;

/** Schema of an option `access`. */
export const accessField = z.enum(["write", "append", "read", "ask"], {
  message: 'must be "write", "append", "read" or "ask"',
});

/** Schema of a pattern of paths. */
export const patternField = z
  .string()
  .regex(/^\//, 'must be an absolute path, such as "/policies/**"')
  // These characters have a meaning in other globs. Read literally, the rule would match nothing and protect nothing.
  .regex(
    /^[^[\]{}\\]*$/,
    "must not contain [ ] { } or \\: give one rule for each path, and write ? for such a character",
  )
  .regex(/^(?!.*(?:[^/]\*\*|\*\*[^/]))/s, '"**" must be a whole name, as in "/policies/**"')
  .superRefine(refuseInvalidPattern);

/** Schema of an option `rules`. */
export const rulesField = z.array(z.strictObject({ path: patternField, access: accessField })).max(maxRules);

/** Schema of an option `guard`. */
export const guardField = createFunctionField<MemoryGuard>("must be a function from a change to a text or nothing");

const policySchema = z.strictObject({
  rules: rulesField.optional(),
  guard: guardField.optional(),
});

/** @throws TypeError */
export function checkPolicy(policy: MemoryPolicy): CheckedPolicy {
  checkOptions("MemoryPolicy", policySchema, policy);
  const rules = (policy.rules ?? []).map((rule) => ({
    access: rule.access,
    path: rule.path,
    fits: compilePathPattern(rule.path),
  }));
  return { access: "write", rules, guard: policy.guard };
}

/**
 * Creates the rule that protects a log of conversations. Nothing takes the place of a directory above the log, and a
 * delete of the root keeps the log. @param path without wildcards
 */
export function createLogRule(path: string): CheckedRule {
  const isInLog = compilePathPattern(`${path}/**`);
  const isAbove = (other: string): boolean => `${path}/`.normalize("NFC").startsWith(`${other.normalize("NFC")}/`);
  const fits = (other: string): boolean => isInLog(other) || isAbove(other);
  return { access: "read", path: `${path}/**`, fits, keeps: path };
}

function refuseInvalidPattern(
  path: string,
  context: { addIssue: (issue: { code: "custom"; message: string }) => void },
): void {
  try {
    compilePathPattern(path);
  } catch (error) {
    if (!MemoryError.isInstance(error)) throw error;
    context.addIssue({ code: "custom", message: error.message });
  }
}
