import type { BaseStore } from "@langchain/langgraph-checkpoint";
import type { OnAsk } from "../core/access/approval-requester.js";
import type { CheckedPolicy } from "../core/access/policy.js";
import { bindMemory, type MemoryBinding } from "../core/bind-memory.js";
import type { Memory } from "../core/memory.js";
import { memoryDefaults, type MemoryOptions } from "../core/memory-options.js";
import { MountedMemory } from "../core/mounts/mounted-memory.js";
import { mayAskIn, type Mount } from "../core/mounts/mounts.js";
import { createUnavailableBackend, openPlaceholder } from "../core/mounts/placeholder-backends.js";
import type { MemoryActor } from "../core/values/actor.js";
import { RecentMap } from "../core/runtime/recent-map.js";
import {
  addressFor,
  type CheckedAddress,
  isMissingOwner,
  type MemoryScope,
  type OwnerField,
  ownerFields,
} from "../core/values/address.js";
import { MemoryError } from "../core/values/errors.js";
import { ROOT } from "../core/values/paths.js";
import { createApprovals } from "../langchain/approval-requests.js";
import { unwrapStore } from "../langchain/langgraph-internals.js";
import { checkRun, getBinding, getRunStore, type MemoryRun } from "../langchain/memory-run.js";
import { chooseMemory } from "../langchain/memory-source.js";
import { type CheckedMount, type NodeMounts, openForProgram } from "./node-mounts.js";
import { openMemory } from "../open-memory.js";
import type { ListMemories } from "../prompt/explain.js";
import { callMethod } from "../core/values/unknown-values.js";
import { findOwner, type OwnerFunction, type OwnerOfRun } from "./owner-of-run.js";
import { warnOfMissingOwner, warnOfSharedMemory } from "./warnings.js";

/** The thread and the user whose memories are opened: any values, as a run names them. */
type Owners = Readonly<Partial<Record<OwnerField, unknown>>>;

/** The checked options of a node. */
export interface NodeSettings {
  nodeId: string;
  scope: MemoryScope;
  /** Whether the program gave the scope. */
  isScopeChosen: boolean;
  /** Default: the store of the run. */
  store: BaseStore | undefined;
  options: MemoryOptions;
  functions: Record<OwnerField, OwnerOfRun | undefined>;
  mounts: NodeMounts | null;
  /** The node's rules and guard, and the rule that protects its log. A node may get a log later. */
  policy: CheckedPolicy | null;
  onAsk: OnAsk;
}

/** The largest number of memories that a node keeps open. */
const maxOpened = 1000;

/**
 * Opens the memories of a node, for runs and for programs. Each memory is opened once, and bound to each run by one
 * copy.
 */
export class NodeMemories {
  readonly #settings: NodeSettings;
  /** The memories that are open. They know no run. */
  readonly #opened = new WeakMap<BaseStore, RecentMap<Memory>>();
  /** The functions that find the owners of the node's own memory and of its mounts. */
  readonly #functions: readonly OwnerFunction[];

  constructor(settings: NodeSettings) {
    this.#settings = settings;
    this.#functions = listOwnerFunctions(settings);
  }

  /**
   * Opens the memory of a run with its mounts, and binds it to the run.
   * @param scope "global" puts the memory that all threads and users share at "/". @throws as `MemoryNode.memoryForRun`
   */
  async openForRun(run: MemoryRun, scope = this.#settings.scope): Promise<Memory> {
    checkRun(run);
    const { nodeId, isScopeChosen, mounts } = this.#settings;
    if (!isScopeChosen && mounts === null && run.userId !== undefined) warnOfSharedMemory(nodeId);
    const store = this.#getStore(run);
    const owners = await this.#findOwners(run);
    const own = this.#openInRun(store, nodeId, scope, owners);
    if (mounts === null) return bindMemory(own, this.#createBinding(own.address, run));
    const others = mounts.others.map((mount) =>
      mountUnlessMissing(mount, own, async () =>
        mount.kind === "source"
          ? chooseMemory(run, mount.source)
          : this.#openInRun(store, mount.nodeId, mount.scope, owners),
      ),
    );
    return this.#join(own, mounts, await Promise.all(others), run);
  }

  /** As `openForRun`, with the global memory at "/". Without mounts it needs no owner, so no function finds one. */
  openSharedForRun(run: MemoryRun): Memory | Promise<Memory> {
    return this.#settings.mounts === null ? this.openShared(run) : this.openForRun(run, "global");
  }

  /**
   * Opens the memory with its mounts, outside a run.
   * @param isWhole whether every mount must be there. Otherwise one without its thread or user stays in the tree, as in a
   * run. @throws as `MemoryNode.memory`
   */
  openForProgram(owner: string | undefined, isWhole = true): Memory {
    const { nodeId, scope, mounts } = this.#settings;
    const store = this.#getStore(null);
    // The owner of a global node is for its mounts.
    const run: MemoryRun = {
      config: {},
      ...(scope !== "perUser" && { threadId: owner }),
      ...(scope !== "perThread" && { userId: owner }),
    };
    const own = this.#open(store, nodeId, scope, run);
    if (mounts === null) return bindMemory(own, this.#createBinding(own.address, null));
    const others = mounts.others.map((mount) => {
      const { point, settings } = mount;
      try {
        const memory =
          mount.kind === "source"
            ? openForProgram(mount, run, owner)
            : this.#open(store, mount.nodeId, mount.scope, run);
        return { ...settings, point, memory };
      } catch (error) {
        if (isWhole || !MemoryError.isInstance(error) || !isMissingOwner(error)) throw error;
        return mountUnavailable(mount, own, error);
      }
    });
    return this.#join(own, mounts, others, null);
  }

  /** Lists memories of the store of a run. None if the store is not of this package. */
  list(run: MemoryRun, filter: Parameters<ListMemories>[0]): ReturnType<ListMemories> {
    const listed = callMethod(unwrapStore(this.#getStore(run)), "listMemories", filter);
    return listed === undefined ? [] : (listed as ReturnType<ListMemories>);
  }

  /** Opens the memory that all threads and users share, without mounts. */
  openShared(run: MemoryRun | null): Memory {
    if (run !== null) checkRun(run);
    const own = this.#open(this.#getStore(run), this.#settings.nodeId, "global", {});
    return bindMemory(own, this.#createBinding(own.address, run));
  }

  /** Opens the node's own memory for a person. The rules are for agents, so only the guard applies. */
  openForPerson(owner: string | undefined, actor: MemoryActor): Memory {
    const { nodeId, scope, policy } = this.#settings;
    const owners = { threadId: owner, userId: owner };
    const own = this.#open(this.#getStore(null), nodeId, scope, owners).with({ actor });
    const policies = policy?.guard ? [{ access: "write" as const, rules: [], guard: policy.guard, actor }] : [];
    return bindMemory(own, { policies });
  }

  /** @throws MemoryError EINVAL if the owner is missing, or is no id; TypeError for a bad store */
  #open(store: BaseStore, nodeId: string, scope: MemoryScope, owners: Owners): Memory {
    const field = ownerFields[scope];
    const owner = field === null ? "" : owners[field];
    // Only a string is an id. `openMemory` refuses other values, so nothing is kept under "".
    const key = typeof owner === "string" ? JSON.stringify([nodeId, scope, owner]) : "";
    const opened = this.#opened.get(store) ?? new RecentMap<Memory>(maxOpened);
    const known = opened.get(key);
    if (known !== undefined) return known;
    const memory = openMemory(store, addressFor(nodeId, scope, owner), this.#settings.options);
    opened.set(key, memory);
    this.#opened.set(store, opened);
    return memory;
  }

  #openInRun(store: BaseStore, nodeId: string, scope: MemoryScope, owners: Owners): Memory {
    try {
      return this.#open(store, nodeId, scope, owners);
    } catch (error) {
      if (MemoryError.isInstance(error) && isMissingOwner(error))
        warnOfMissingOwner(`the ${scope} memory of node ${JSON.stringify(nodeId)}`, error);
      throw error;
    }
  }

  async #findOwners(run: MemoryRun): Promise<Owners> {
    if (this.#functions.length === 0) return run;
    const found = this.#functions.map(async (each) => [each.field, await findOwner(run, each)] as const);
    return { threadId: run.threadId, userId: run.userId, ...Object.fromEntries(await Promise.all(found)) };
  }

  /** Puts the node's own memory and its mounts into one tree. */
  #join(own: Memory, { root }: NodeMounts, others: readonly Mount[], run: MemoryRun | null): Memory {
    const mounts = [{ ...root, point: ROOT, memory: own }, ...others];
    return MountedMemory.create(mounts, this.#createBinding(own.address, run, mayAskIn(mounts)));
  }

  /**
   * Returns the run, the node's rules and guard, and the requester of approvals.
   * @param run null outside a run. @param mayAsk whether a mount needs the approval of a person
   */
  #createBinding(address: CheckedAddress, run: MemoryRun | null, mayAsk = false): MemoryBinding {
    const { policy, onAsk } = this.#settings;
    const binding = run === null ? undefined : getBinding(run);
    if (policy === null && !mayAsk) return { run: binding };
    const { nodeId: _node, scope: _scope, ...owners } = address;
    const actor = run && { ...binding?.actor, ...owners };
    const requester = createApprovals(run, onAsk, actor);
    return { policies: [{ access: "write", rules: [], ...policy, actor, requester }], run: binding };
  }

  #getStore(run: MemoryRun | null): BaseStore {
    const { store, nodeId } = this.#settings;
    if (store) return store;
    const storeOfRun = run && getRunStore(run);
    if (storeOfRun) return unwrapStore(storeOfRun);
    throw new MemoryError(
      "ENOTMEM",
      `ENOTMEM: no memory connected: node ${nodeId} has no store; give MemoryNode a store, or the graph one ` +
        "(compile({ store }))",
    );
  }
}

/** Lists the functions that are needed to find the memories of a node. */
function listOwnerFunctions({ nodeId, scope, mounts, options, functions }: NodeSettings): OwnerFunction[] {
  const mounted = (mounts?.others ?? []).flatMap((mount) => (mount.kind === "address" ? [mount.scope] : []));
  const fields = new Set([scope, ...mounted].map((each) => ownerFields[each]));
  const timeoutMs = options.timeoutMs ?? memoryDefaults.timeoutMs;
  return [...fields].flatMap((field) => {
    const find = field === null ? undefined : functions[field];
    return field === null || find === undefined ? [] : [{ nodeId, field, find, timeoutMs }];
  });
}

/** Mounts a memory. If the run names no thread or user for it, a placeholder takes its place. */
async function mountUnlessMissing(mount: CheckedMount, own: Memory, open: () => Promise<Memory>): Promise<Mount> {
  const { point, settings } = mount;
  try {
    return { ...settings, point, memory: await open() };
  } catch (error) {
    if (!MemoryError.isInstance(error) || !isMissingOwner(error)) throw error;
    warnOfMissingOwner(`the memory mounted at ${JSON.stringify(point)}`, error);
    return mountUnavailable(mount, own, error);
  }
}

function mountUnavailable({ point, settings }: CheckedMount, own: Memory, missingOwner: MemoryError): Mount {
  const memory = openPlaceholder(createUnavailableBackend(missingOwner), own);
  return { ...settings, point, memory, missingOwner };
}
