import { z } from "zod";
import { checkAddress, isMemoryScope, isMissingOwner, type MemoryScope, ownerFields } from "../core/values/address.js";
import { MemoryError } from "../core/values/errors.js";
import type { Memory, MemoryRights } from "../core/memory.js";
import {
  isMemory,
  type Mount,
  createMount,
  mountFields,
  type MountSettings,
  normalizeMountPoints,
  getTreeRights,
} from "../core/mounts/mounts.js";
import { checkOptions } from "../core/settings/check-options.js";
import { ROOT } from "../core/values/paths.js";
import { createUnavailableBackend, openPlaceholder } from "../core/mounts/placeholder-backends.js";
import type { MemoryRun } from "../langchain/memory-run.js";
import { checkMemorySource, chooseMemory, type MemorySource } from "../langchain/memory-source.js";
import { warnOfMissingOwner } from "./missing-owner.js";
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

type CheckedMount = { point: string; settings: MountSettings } & (
  | { source: MemorySource }
  | { nodeId: string; scope: MemoryScope }
);

const mountSchema = z
  .object({
    memory: z.unknown().optional(),
    nodeId: z.unknown().optional(),
    scope: z.unknown().optional(),
    ...mountFields,
  })
  .strict();

const rootSchema = z.object(mountFields).strict();

/** Opens a memory of the node's store. */
export type OpenInStore = (nodeId: string, scope: MemoryScope) => Memory | Promise<Memory>;

/** The mounts of a node in addition to its own memory, which is mounted at "/". */
export class NodeMounts {
  /** The rights that are known without a run. */
  readonly rights: MemoryRights | undefined;
  /** The settings of the node's own memory. */
  readonly #root: MountSettings;
  readonly #others: readonly CheckedMount[];

  /** @throws TypeError for bad options, MemoryError EINVAL for a bad nodeId or scope */
  constructor(mounts: Record<string, MountOptions>) {
    const given = normalizeMountPoints("MemoryNodeOptions.mounts", mounts);
    const [, root = {}] = given.find(([point]) => point === ROOT) ?? [];
    this.#root = checkOptions<MountSettings>('mount "/" (the node\'s own memory)', rootSchema, root);
    this.#others = given.flatMap(([point, mount]) => (point === ROOT ? [] : [checkMount(point, mount)]));
    this.rights = getTreeRights([
      { ...this.#root, point: ROOT },
      ...this.#others.map(({ point, settings }) => ({ ...settings, point })),
    ]);
  }

  /**
   * Returns the mounts of a run, including the node's own memory. If the run names no thread or user for another mount,
   * a placeholder takes the place of this memory.
   */
  async forRun(own: Memory, run: MemoryRun, openInStore: OpenInStore): Promise<Mount[]> {
    const choose = async (mount: CheckedMount): Promise<Memory> =>
      "source" in mount ? chooseMemory(run, mount.source) : openInStore(mount.nodeId, mount.scope);
    const open = async (mount: CheckedMount): Promise<Mount> => {
      try {
        return createMount(mount.point, await choose(mount), mount.settings);
      } catch (error) {
        if (!MemoryError.isInstance(error) || !isMissingOwner(error)) throw error;
        warnOfMissingOwner(`the memory mounted at ${JSON.stringify(mount.point)}`, error);
        return {
          ...mount.settings,
          point: mount.point,
          memory: openPlaceholder(createUnavailableBackend(error), own),
          missingOwner: error,
        };
      }
    };
    const others = await Promise.all(this.#others.map(open));
    return [createMount(ROOT, own, this.#root), ...others];
  }

  /** Returns the mounts for a program. @throws TypeError if the memory of a mount is known only in a run */
  forProgram(
    own: Memory,
    run: MemoryRun,
    owner: string | undefined,
    open: (nodeId: string, scope: MemoryScope) => Memory,
  ): Mount[] {
    const choose = (mount: CheckedMount): Memory =>
      "source" in mount ? openForProgram(mount, run, owner) : open(mount.nodeId, mount.scope);
    return [
      createMount(ROOT, own, this.#root),
      ...this.#others.map((mount) => createMount(mount.point, choose(mount), mount.settings)),
    ];
  }
}

function checkMount(point: string, given: unknown): CheckedMount {
  if (
    typeof given === "function" ||
    isMemory(given) ||
    (typeof given === "object" && given !== null && "memoryForRun" in given)
  ) {
    checkMemorySource(given);
    return { point, settings: {}, source: given };
  }
  const where = `mount ${JSON.stringify(point)}`;
  const { memory, nodeId, scope, ...settings } = checkOptions(where, mountSchema, given);
  if ((memory === undefined) === (nodeId === undefined)) {
    throw new TypeError(
      `invalid ${where}: it needs either "memory" (any Memory, MemoryNode or function) or "nodeId" (a memory in the store of the node)`,
    );
  }
  if (memory !== undefined) {
    if (scope !== undefined)
      throw new TypeError(`invalid ${where}: "scope" goes with "nodeId"; a "memory" has its own`);
    checkMemorySource(memory);
    return { point, settings, source: memory };
  }
  // Checked with a made-up owner, because the owner of a run is not known yet.
  const chosen = scope ?? "global";
  const owner = isMemoryScope(chosen) ? ownerFields[chosen] : null;
  const checked = checkAddress({ nodeId, scope: chosen, ...(owner !== null && { [owner]: "-" }) });
  return { point, settings, nodeId: checked.nodeId, scope: checked.scope };
}

function openForProgram(
  { point, source }: { point: string; source: MemorySource },
  run: MemoryRun,
  owner: string | undefined,
): Memory {
  const choose = (): Memory | Promise<Memory> =>
    typeof source === "function" ? source(run) : chooseMemory(run, source);
  const found = hasMethod(source, "memory") ? callMethod(source, "memory", owner) : choose();
  if (isMemory(found)) return found;
  throw new TypeError(
    `mount ${JSON.stringify(point)} answers with a promise or with what is no Memory: use memoryForRun(run) instead of memory()`,
  );
}
