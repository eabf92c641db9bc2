import { z } from "zod";
import { wrongArgument } from "../settings/wrong-argument.js";
import { accessField, type MemoryAccess } from "../access/policy.js";
import { accessInWords, possibleAccess, strictestAccess } from "../access/rights.js";
import { MemoryError } from "../values/errors.js";
import type { Memory } from "../memory.js";
import type { MemoryRights } from "../access/rights.js";
import { checkOptions } from "../settings/check-options.js";
import { showPath } from "../display/shown-path.js";
import { normalizePath, getPathPrefix, ROOT, isWithin } from "../values/paths.js";
import { compareCodeUnits, preview } from "../values/text.js";
import { hasMethod, isRecord } from "../values/unknown-values.js";

/** The settings of a mount. */
export interface MountSettings {
  /**
   * What may be done at this mount point. `write`: everything. `append`: only new text. `read`: nothing. `ask`: what a
   * person approves. @default "write"
   */
  access?: MemoryAccess | undefined;
  /** Describes the memory to a model, in a connector: one line of 1 to 500 characters. @default none */
  description?: string | undefined;
}

/** A memory with its mount point in a tree. */
export interface Mount extends MountSettings {
  /** A normalised path. */
  point: string;
  memory: Memory;
  /** The error of each call, if the run names no thread or user. */
  missingOwner?: MemoryError;
}

const maxMounts = 32;

/** The fields of MountSettings, for option objects that extend it. */
export const mountFields = {
  access: accessField.optional(),
  description: z.string().min(1).max(500).optional(),
};

const mountSchema = z.strictObject({
  memory: z.custom<Memory>(isMemory, "must be a Memory (openMemory, store.memory)"),
  ...mountFields,
});

/** Checks the shape, because the other build of this package has classes of its own. */
export function isMemory(value: unknown): value is Memory {
  return hasMethod(value, "snapshot") && hasMethod(value, "outline");
}

/** @param place the function and the argument, for the message. @throws TypeError */
export function assertMemory(value: unknown, place: string): void {
  if (!isMemory(value)) throw wrongArgument(place, "a Memory (openMemory, store.memory, node.memory)", value);
}

/** @throws TypeError */
export function checkMounts(given: unknown): Mount[] {
  return normalizeMountPoints("mountMemories", given).map(([point, mount]) => {
    if (isMemory(mount)) return { point, memory: mount };
    const { memory, ...settings } = checkOptions(`mount ${JSON.stringify(point)}`, mountSchema, mount);
    return { ...settings, point, memory };
  });
}

/** The mount points with what is mounted there. @throws TypeError */
export function normalizeMountPoints(where: string, mounts: unknown): [point: string, mount: unknown][] {
  const isObject = isRecord(mounts) && !isMemory(mounts);
  const entries = isObject ? Object.entries(mounts) : [];
  if (entries.length === 0 || entries.length > maxMounts) {
    const given = isObject ? `${entries.length} of them` : preview(mounts);
    throw new TypeError(
      `${where}: the mounts must be an object of 1 to ${maxMounts} mount points, such as { "/": …, "/team": … } ` +
        `(given ${given})`,
    );
  }
  const points = new Map<string, string>();
  return entries.map(([spelling, mount]) => {
    const point = mountPoint(where, spelling);
    const other = points.get(point);
    if (other !== undefined)
      throw new TypeError(
        `${where}: ${preview(other)} and ${preview(spelling)} are the same mount point; leave one of them out`,
      );
    points.set(point, spelling);
    return [point, mount];
  });
}

/** @throws TypeError */
function mountPoint(where: string, spelling: string): string {
  const right = 'a mount point is an absolute path, such as "/team"';
  if (!spelling.startsWith(ROOT)) throw new TypeError(`${where}: ${right} (given ${preview(spelling)})`);
  try {
    return normalizePath(spelling);
  } catch (error) {
    if (!MemoryError.isInstance(error)) throw error;
    throw new TypeError(`${where}: ${right} (given ${preview(spelling)}): ${error.message}`, { cause: error });
  }
}

/**
 * Returns the access to each mount point and the description of its memory. Undefined for a single memory that has
 * neither.
 */
export function getTreeRights(
  mounts: readonly (MountSettings & { point: string; memory?: Memory })[],
): MemoryRights | undefined {
  const longestFirst = mounts.toSorted((a, b) => b.point.length - a.point.length || compareCodeUnits(a.point, b.point));
  const described = longestFirst.filter(
    ({ point, access = "write", description }) => point !== ROOT || access !== "write" || description !== undefined,
  );
  if (described.length === 0) return undefined;
  const accesses = mounts.map(({ access = "write", memory }) =>
    strictestAccess([possibleAccess(access), memory?.rights?.widest ?? "write"]),
  );
  const describe = (
    root: string,
    { point, access = "write", description }: MountSettings & { point: string },
  ): string => {
    const paths = point === ROOT && mounts.length > 1 ? "All else" : showPath(`${getPathPrefix(point)}**`, root);
    const purpose = description === undefined ? "" : ` (${description.replaceAll(/\s+/g, " ").trim()})`;
    return `${paths} is ${accessInWords[access]}${purpose}.`;
  };
  return {
    asks: mayAskIn(mounts),
    widest: (["write", "append"] as const).find((access) => accesses.includes(access)) ?? "read",
    words: (root = ROOT) => described.map((mount) => describe(root, mount)).join(" "),
    accessAt: (path) => longestFirst.find(({ point }) => isWithin(path, point))?.access ?? "write",
  };
}

/** Whether a person must approve some changes in a tree. */
export function mayAskIn(mounts: readonly (MountSettings & { memory?: Memory })[]): boolean {
  return mounts.some(({ access, memory }) => access === "ask" || memory?.rights?.asks === true);
}

/** Returns the rights that both allow. */
export function combineRights(
  one: MemoryRights | undefined,
  other: MemoryRights | undefined,
): MemoryRights | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const words = (root?: string): string => [one.words(root), other.words(root)].filter(Boolean).join(" ");
  return {
    asks: one.asks || other.asks,
    widest: strictestAccess([one.widest, other.widest]),
    words,
    accessAt: (path) => strictestAccess([one, other].map((each) => each.accessAt?.(path) ?? "write")),
  };
}
