import { showPath } from "../display/shown-path.js";
import { getPathPrefix, ROOT } from "../values/paths.js";
import { shorten } from "../values/text.js";
import { type CheckedPolicy, getAccess, type MemoryAccess, type NeededAccess } from "./policy.js";

/** Which changes rules and mounts allow, as far as this is known without a run. */
export interface MemoryRights {
  /** The most that is allowed on any path. */
  widest: "write" | "append" | "read";
  /** Whether a person must approve some changes. `widest` counts such changes as allowed. */
  asks: boolean;
  /**
   * Describes the rights to a model; "" if everything is allowed. @param root the model's name for the root, or "" for
   * relative paths. Default: "/"
   */
  words: (root?: string) => string;
  /** Returns the access to a path. Missing in rights that another package made. @internal */
  accessAt?: (path: string) => MemoryAccess;
}

type WidestAccess = MemoryRights["widest"];

/** Ranks the accesses: the higher the number, the less an agent can do without a person. */
const strictness = { write: 0, ask: 1, append: 2, read: 3 } as const satisfies Record<MemoryAccess, number>;

export const accessInWords = {
  read: "read-only",
  append: "append-only: add to files and create them",
  write: "writable",
  ask: "writable with approval: a person is asked about each change",
} as const satisfies Record<MemoryAccess, string>;

/** Whether `widest` includes the needed access. @param needed undefined for a read */
export function isGranted(needed: NeededAccess | undefined, widest: WidestAccess): boolean {
  return needed === undefined || strictness[widest] <= strictness[needed];
}

/** Returns the widest access that can succeed: a person may approve every change. */
export function possibleAccess(access: MemoryAccess): WidestAccess {
  return access === "ask" ? "write" : access;
}

export function mayAsk({ access, rules }: CheckedPolicy): boolean {
  return access === "ask" || rules.some((rule) => rule.access === "ask");
}

export function getRights(policies: readonly CheckedPolicy[]): MemoryRights {
  return {
    asks: policies.some(mayAsk),
    widest: strictestAccess(policies.map(getWidest)),
    words: (root = ROOT) => policies.flatMap((policy) => describePolicy(policy, root)).join(" "),
    accessAt: (path) => strictestAccess(policies.map((policy) => getAccess(policy, path))),
  };
}

/** The limits exist because providers limit the description of a tool. */
const maxShownRules = 10;
const maxShownPathChars = 64;

function describePolicy({ access, rules, mountPoint = ROOT }: CheckedPolicy, root: string): string[] {
  const all =
    access === "write" ? [] : [`${showPath(`${getPathPrefix(mountPoint)}**`, root)} is ${accessInWords[access]}.`];
  const shown = rules
    .slice(0, maxShownRules)
    .map((rule) => `${showPath(shorten(rule.path, maxShownPathChars), root)} is ${accessInWords[rule.access]}.`);
  const order = rules.length > 1 ? ["The first of these that fits a path counts."] : [];
  return [...all, ...shown, ...order, ...(rules.length > maxShownRules ? ["More rules follow."] : [])];
}

/** Returns the widest access of the rules up to the first that fits every path, or else `access`. */
function getWidest({ access, rules }: CheckedPolicy): WidestAccess {
  const last = rules.findIndex(({ path }) => /^(?:\/+\*\*)+\/*$/.test(path));
  if (last === -1) return possibleAccess(access);
  return rules
    .slice(0, last + 1)
    .map((rule) => possibleAccess(rule.access))
    .reduce((one, other) => (strictness[one] < strictness[other] ? one : other));
}

export function strictestAccess<Access extends MemoryAccess>(accesses: readonly Access[]): Access | "write" {
  return accesses.reduce<Access | "write">(
    (one, other) => (strictness[one] > strictness[other] ? one : other),
    "write",
  );
}
