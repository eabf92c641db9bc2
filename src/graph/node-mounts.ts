import { z } from "zod";
import { checkAddress, isMemoryScope, type MemoryScope, ownerFields } from "../core/values/address.js";
import type { Memory, MemoryRights } from "../core/memory.js";
import {
  isMemory,
  mountFields,
  type MountSettings,
  normalizeMountPoints,
  getTreeRights,
} from "../core/mounts/mounts.js";
import { checkOptions } from "../core/settings/check-options.js";
import { ROOT } from "../core/values/paths.js";
import type { MemoryRun } from "../langchain/memory-run.js";
import { checkMemorySource, chooseMemory, type MemorySource } from "../langchain/memory-source.js";
import { callMethod, hasMethod } from "../core/values/unknown-values.js";

/**
 * A memory in the tree of a node: either a memory of the node's store, named by `nodeId` and `scope`, or any other
 * memory as `memory`.
 */
export interface NodeMount extends MountSettings {
  /** A Memory, a MemoryNode, or a function from a run to a Memory. */
  memory?: MemorySource | undefined;
  /** The name of a memory in the node's store. */
  nodeId?: string | undefined;
  /**
   * The scope of the memory that `nodeId` names. The node finds the thread or user as for its own memory. @default
   * "global"
   */
  scope?: MemoryScope | undefined;
}

/** An entry of a node's `mounts`. */
export type MountOptions = MemorySource | NodeMount;

export type CheckedMount = { point: string; settings: MountSettings } & (
  | { kind: "source"; source: MemorySource }
  | { kind: "address"; nodeId: string; scope: MemoryScope }
);

const mountSchema = z.strictObject({
  memory: z.unknown().optional(),
  nodeId: z.unknown().optional(),
  scope: z.unknown().optional(),
  ...mountFields,
});

const rootSchema = z.strictObject(mountFields);

/** The checked mounts of a node. */
export interface NodeMounts {
  /** The rights that are known without a run. */
  rights: MemoryRights | undefined;
  /** The settings of the node's own memory, which is mounted at "/". */
  root: MountSettings;
  others: readonly CheckedMount[];
}

/** @throws TypeError for bad options, MemoryError EINVAL for a bad nodeId or scope */
export function checkNodeMounts(mounts: Record<string, MountOptions>): NodeMounts {
  const given = normalizeMountPoints("MemoryNodeOptions.mounts", mounts);
  const [, root = {}] = given.find(([point]) => point === ROOT) ?? [];
  const own = checkOptions<MountSettings>('mount "/" (the node\'s own memory)', rootSchema, root);
  const others = given.flatMap(([point, mount]) => (point === ROOT ? [] : [checkMount(point, mount)]));
  const rights = getTreeRights([
    { ...own, point: ROOT },
    ...others.map(({ point, settings }) => ({ ...settings, point })),
  ]);
  return { rights, root: own, others };
}

function checkMount(point: string, given: unknown): CheckedMount {
  if (
    typeof given === "function" ||
    isMemory(given) ||
    (typeof given === "object" && given !== null && "memoryForRun" in given)
  ) {
    checkMemorySource(given);
    return { kind: "source", point, settings: {}, source: given };
  }
  const where = `mount ${JSON.stringify(point)}`;
  const { memory, nodeId, scope, ...settings } = checkOptions(where, mountSchema, given);
  if ((memory === undefined) === (nodeId === undefined)) {
    throw new TypeError(
      `invalid ${where}: it needs either "memory" (any Memory, MemoryNode or function) or "nodeId" (a memory in the ` +
        "store of the node)",
    );
  }
  if (memory !== undefined) {
    if (scope !== undefined)
      throw new TypeError(`invalid ${where}: "scope" goes with "nodeId"; a "memory" has its own`);
    checkMemorySource(memory);
    return { kind: "source", point, settings, source: memory };
  }
  // Checked with a made-up owner, because the owner of a run is not known yet.
  const chosen = scope ?? "global";
  const owner = isMemoryScope(chosen) ? ownerFields[chosen] : null;
  const checked = checkAddress({ nodeId, scope: chosen, ...(owner !== null && { [owner]: "-" }) });
  return { kind: "address", point, settings, nodeId: checked.nodeId, scope: checked.scope };
}

/** Opens a mounted memory outside a run. @throws TypeError if the memory is known only in a run */
export function openForProgram(
  { point, source }: Extract<CheckedMount, { kind: "source" }>,
  run: MemoryRun,
  owner: string | undefined,
): Memory {
  const choose = (): Memory | Promise<Memory> =>
    typeof source === "function" ? source(run) : chooseMemory(run, source);
  const found = hasMethod(source, "memory") ? callMethod(source, "memory", owner) : choose();
  if (isMemory(found)) return found;
  throw new TypeError(
    `mount ${JSON.stringify(point)} returns a promise, or a value that is not a Memory: use memoryForRun(run) instead ` +
      "of memory()",
  );
}
