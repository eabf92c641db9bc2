import { z } from "zod";
import type { MemoryActor } from "../values/actor.js";
import type { CheckedAddress } from "../values/address.js";
import type { Asking } from "../approval/asking.js";
import { isGraphBubbleUp } from "../values/bubble-up.js";
import { invalid, MemoryError } from "../values/errors.js";
import type { Memory, MemoryRights } from "../memory.js";
import { checkOptions, preview } from "../settings/options.js";
import { compilePathPattern } from "../values/path-pattern.js";
import { prefixOf, ROOT } from "../values/paths.js";
import { shorten } from "../values/text.js";

/**
 * What is allowed.
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
  /** Null if no run makes the change. */
  actor: MemoryActor | null;
}

/**
 * Gets each text before it is stored. It returns nothing to store the text, or another text to store instead. If it
 * throws, nothing is stored, and the call is EACCES with its message. It can be called again for the same change if
 * another change came first.
 */
export type MemoryGuard = (change: GuardedChange) => string | undefined | void | Promise<string | undefined | void>;

/** What a call needs. */
export type NeededAccess = "write" | "append";

type WidestAccess = MemoryRights["widest"];

/** `ask`: a person decides. */
export type Verdict = "yes" | "ask" | "no";

/** What restricts a memory. */
export interface MemoryPolicy {
  /** Of all paths. @default "write" */
  access?: MemoryAccess | undefined;
  /** The first whose path fits decides. A rule cannot give more than `access`. @default none */
  rules?: readonly MemoryRule[] | undefined;
  guard?: MemoryGuard | undefined;
}

interface CheckedRule {
  access: MemoryAccess;
  path: string;
  fits: (path: string) => boolean;
}

/** A checked policy, with the actor and the place in the tree that it applies to. */
export interface CheckedPolicy {
  readonly access: MemoryAccess;
  readonly rules: readonly CheckedRule[];
  readonly guard?: MemoryGuard | undefined;
  /** Who changes the memory. */
  readonly actor?: MemoryActor | null;
  /** How a person is asked, where this policy or another asks. Of several the innermost counts. */
  readonly asking?: Asking;
  /** Where the memory lies in the tree that rules, guard and messages speak of. @default "/" */
  readonly mountPoint?: string;
}

const verdicts = {
  write: { append: "yes", write: "yes" },
  append: { append: "yes", write: "no" },
  ask: { append: "ask", write: "ask" },
  read: { append: "no", write: "no" },
} as const satisfies Record<MemoryAccess, Record<NeededAccess, Verdict>>;

const strictness = { yes: 0, ask: 1, no: 2 } as const satisfies Record<Verdict, number>;

const extent = { read: 0, append: 1, write: 2 } as const satisfies Record<WidestAccess, number>;

export const accessInWords = {
  read: "read-only",
  append: "append-only: add to files and create them",
  write: "writable",
  ask: "writable with approval: a person is asked about each change",
} as const satisfies Record<MemoryAccess, string>;

const maxRules = 100;

/** Of an option `access`. */
export const accessField = z.enum(["write", "append", "read", "ask"], {
  message: 'must be "write", "append", "read" or "ask"',
});

const patternField = z
  .string()
  .regex(/^\//, 'must be an absolute path, such as "/policies/**"')
  // They mean something in other globs, and a rule that fits nothing protects nothing.
  .regex(/^[^[\]{}\\]*$/, "must not hold [ ] { } or \\: give one rule for each path, and write ? for such a character")
  .regex(/^(?!.*(?:[^/]\*\*|\*\*[^/]))/s, '"**" must be a whole name, as in "/policies/**"')
  .superRefine(refuseIllPattern);

/** Of an option `rules`. */
export const rulesField = z.array(z.object({ path: patternField, access: accessField }).strict()).max(maxRules);

/** Of an option `guard`. */
export const guardField = z.custom<MemoryGuard>(
  (value) => typeof value === "function",
  "must be a function from a change to a text or nothing",
);

const policySchema = z
  .object({ access: accessField.optional(), rules: rulesField.optional(), guard: guardField.optional() })
  .strict();

/** @throws TypeError, also for a rule that would give more than the access of the policy */
export function checkPolicy(policy: MemoryPolicy): CheckedPolicy {
  checkOptions("MemoryPolicy", policySchema, policy);
  const access = policy.access ?? "write";
  const rules = (policy.rules ?? []).map((rule) => ({
    access: rule.access,
    path: rule.path,
    fits: compilePathPattern(rule.path),
  }));
  const wider = rules.find((rule) => widens(rule.access, access));
  if (wider)
    throw new TypeError(
      `a rule can only narrow: ${preview(wider.path)} is given "${wider.access}" where the access is "${access}"`,
    );
  return { access, rules, guard: policy.guard };
}

/** Whether the one lets something be done that the other asks about or refuses. */
function widens(one: MemoryAccess, other: MemoryAccess): boolean {
  return (["append", "write"] as const).some(
    (needed) => strictness[verdicts[one][needed]] < strictness[verdicts[other][needed]],
  );
}

function refuseIllPattern(
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

export const restrict: unique symbol = Symbol.for("langgraph-mongo-memory.restrict");

export const bookkeeping: unique symbol = Symbol.for("langgraph-mongo-memory.bookkeeping");

/**
 * The same memory, for files that a dialect keeps for itself, such as an index, and whose text no model chooses. Nobody
 * is asked about them. All else is refused as ever.
 */
export function forBookkeeping(memory: Memory): Memory {
  return (memory as Partial<RestrictableMemory>)[bookkeeping]?.() ?? memory;
}

/** A memory of this package, of either build. Policies add up: of two the narrower decides. */
export interface RestrictableMemory extends Memory {
  [restrict](policy: CheckedPolicy): Memory;
  /** Left out by memories that ask nobody by themselves. */
  [bookkeeping]?(): Memory;
}

/** The same memory under a policy. @throws TypeError for a memory that is not made by this package */
export function restricted(memory: Memory, policy: CheckedPolicy): Memory {
  const { [restrict]: method } = memory as Partial<RestrictableMemory>;
  if (typeof method === "function") return method.call(memory, policy);
  throw new TypeError(
    "rules and a guard need a memory of this package: openMemory, store.memory, openDirectoryMemory, openMemoryOver",
  );
}

/** All policies of one memory. */
export class Restrictions {
  /** Whether a path below another may have less access than it. */
  readonly differ: boolean;
  readonly hasGuard: boolean;
  /** Whether a person is asked somewhere. */
  readonly mayAsk: boolean;
  readonly rights: MemoryRights;
  readonly #policies: readonly CheckedPolicy[];

  constructor(policies: readonly CheckedPolicy[]) {
    this.#policies = policies;
    this.differ = policies.some(({ rules }) => rules.length > 0);
    this.hasGuard = policies.some(({ guard }) => guard !== undefined);
    this.mayAsk = policies.some(asks);
    this.rights = rightsOf(policies);
  }

  with(policy: CheckedPolicy): Restrictions {
    return new Restrictions([...this.#policies, policy]);
  }

  withoutAsking(): Restrictions {
    const given = (access: MemoryAccess): MemoryAccess => (access === "ask" ? "write" : access);
    const unasked = (policy: CheckedPolicy): CheckedPolicy => ({
      ...policy,
      access: given(policy.access),
      rules: policy.rules.map((rule) => ({ ...rule, access: given(rule.access) })),
    });
    return new Restrictions(this.#policies.map(unasked));
  }

  /** How a person is asked; null where nobody can be. */
  get asking(): Asking | null {
    return this.#policies.find(({ asking }) => asking !== undefined)?.asking ?? null;
  }

  /** How a path of the memory is called where a person is asked. */
  shownPath(path: string): string {
    return placeIn(this.#policies.find(({ asking }) => asking !== undefined) ?? {}, path);
  }

  /** Whether it may be done, or if a person approves. @param path of the memory. @throws MemoryError EACCES */
  verdict(path: string, needed: NeededAccess): "yes" | "ask" {
    let verdict: "yes" | "ask" = "yes";
    for (const policy of this.#policies) {
      const place = placeIn(policy, path);
      const access = accessOf(policy, place);
      const own = verdicts[access][needed];
      if (own === "no")
        throw refusal(
          path,
          `${place} ${access === "read" ? "is read-only here" : "can only be appended to here"} (access "${access}")`,
        );
      if (own === "ask") verdict = "ask";
    }
    return verdict;
  }

  /** The same, for a change that a person has already approved or that needs no approval. @throws MemoryError EACCES */
  assert(path: string, needed: NeededAccess): void {
    if (this.verdict(path, needed) === "ask")
      throw refusal(path, `${path} is changed only if a person approves (access "ask")`);
  }

  /**
   * The text that the guards let be stored, one after the other. @throws MemoryError EACCES, EINVAL, and one that a
   * guard throws
   */
  async guarded(change: Omit<GuardedChange, "actor">): Promise<string> {
    let { content } = change;
    for (const policy of this.#policies) {
      const { guard, actor = null } = policy;
      if (guard === undefined) continue;
      const answer = await answerOf(guard, { ...change, path: placeIn(policy, change.path), content, actor });
      if (answer !== undefined && typeof answer !== "string")
        throw invalid(`the guard must answer a text or nothing (given ${preview(answer)})`);
      content = answer ?? content;
    }
    return content;
  }
}

function refusal(path: string, words: string): MemoryError {
  const error = new MemoryError("EACCES", `EACCES: ${words}`);
  error.path = path;
  return error;
}

/** @param needed undefined for what only reads */
export function isGranted(needed: NeededAccess | undefined, widest: WidestAccess): boolean {
  return needed === undefined || extent[widest] >= extent[needed];
}

/** What may succeed: what a person approves, too. */
export function possibleAccess(access: MemoryAccess): WidestAccess {
  return access === "ask" ? "write" : access;
}

function asks({ access, rules }: CheckedPolicy): boolean {
  return access === "ask" || rules.some((rule) => rule.access === "ask");
}

export function rightsOf(policies: readonly CheckedPolicy[]): MemoryRights {
  return {
    asks: policies.some(asks),
    widest: narrowestAccess(policies.map(widestOf)),
    words: (root = "") => policies.flatMap((policy) => sentencesOf(policy, root)).join(" "),
  };
}

/** Providers bound the description of a tool. */
const maxToldRules = 10;
const maxToldPathChars = 64;

function sentencesOf({ access, rules, mountPoint = ROOT }: CheckedPolicy, root: string): string[] {
  const all = access === "write" ? [] : [`${root}${prefixOf(mountPoint)}** is ${accessInWords[access]}.`];
  const told = rules
    .slice(0, maxToldRules)
    .map((rule) => `${root}${shorten(rule.path, maxToldPathChars)} is ${accessInWords[rule.access]}.`);
  const order = rules.length > 1 ? ["The first of these that fits a path counts."] : [];
  return [...all, ...told, ...order, ...(rules.length > maxToldRules ? ["More rules follow."] : [])];
}

/** At most: what some rule grants before one that fits every path, or else the access. */
function widestOf({ access, rules }: CheckedPolicy): WidestAccess {
  const last = rules.findIndex(({ path }) => /^(?:\/+\*\*)+\/*$/.test(path));
  if (last === -1) return possibleAccess(access);
  return rules
    .slice(0, last + 1)
    .map((rule) => possibleAccess(rule.access))
    .reduce((one, other) => (extent[one] > extent[other] ? one : other));
}

export function narrowestAccess(accesses: readonly WidestAccess[]): WidestAccess {
  return accesses.reduce((one, other) => (extent[one] < extent[other] ? one : other), "write");
}

function accessOf({ access, rules }: CheckedPolicy, place: string): MemoryAccess {
  return rules.find(({ fits }) => fits(place))?.access ?? access;
}

function placeIn({ mountPoint = ROOT }: Pick<CheckedPolicy, "mountPoint">, path: string): string {
  if (mountPoint === ROOT) return path;
  return path === ROOT ? mountPoint : mountPoint + path;
}

async function answerOf(guard: MemoryGuard, change: GuardedChange): Promise<unknown> {
  try {
    return await guard(change);
  } catch (cause) {
    if (MemoryError.isInstance(cause) || isGraphBubbleUp(cause)) throw cause;
    const message = cause instanceof Error ? cause.message : preview(cause);
    throw new MemoryError("EACCES", message.startsWith("EACCES") ? message : `EACCES: ${message}`, { cause });
  }
}
