import { isGraphBubbleUp } from "@langchain/langgraph";
import type { BaseStore } from "@langchain/langgraph-checkpoint";
import { z } from "zod";
import { addressFor, checkAddress, isMissingOwner, isMemoryScope, type MemoryScope, type OwnerField, ownerFields } from "../core/address.js";
import { MemoryError } from "../core/errors.js";
import type { Memory } from "../core/memory.js";
import { withinTime } from "../core/ongoing-call.js";
import { checkOptions, memoryDefaults, memoryOptionFields, type MemoryOptions } from "../core/options.js";
import type { PathRule } from "../core/paths.js";
import type { MemoryConnectorConfig } from "../prompt/connector-options.js";
import { openMemory } from "../open-memory.js";
import { type MemoryRun, signalOf, storeOf } from "../dialects/memory-run.js";
import type { MemoryProvider } from "../dialects/memory-source.js";
import { MemoryTool } from "../dialects/unified/memory-tool.js";
import { warnOfMissingOwner } from "./missing-owner.js";
import { type ConnectableMemory, MemoryConnectorNode } from "./memory-connector-node.js";

/** Finds the thread or the user of a run; undefined leaves it to the run's own ids. */
export type OwnerOfRun = (run: MemoryRun) => string | undefined | Promise<string | undefined>;

export interface MemoryNodeOptions extends MemoryOptions {
  /** Where the memory lies. @default the run's store, which `compile({ store })` or `createAgent({ store })` gives */
  store?: BaseStore;
  /** Names the memory. Nodes of the same id in the same store share it. */
  nodeId: string;
  /** @default "global" */
  scope?: MemoryScope;
  /** Whose memory it is, for `perThread`. Answers within `timeoutMs`. @default `configurable.thread_id` of the run */
  threadId?: OwnerOfRun;
  /** Whose memory it is, for `perUser`. Answers within `timeoutMs`. @default the user of the run, as in {@link MemoryRun} */
  userId?: OwnerOfRun;
}

const ownerOfRun = z.custom<OwnerOfRun>((value) => typeof value === "function", "must be a function from a run to an id").optional();

const optionsSchema = z
  .object({
    store: z.custom<BaseStore>((store) => typeof (store as BaseStore | undefined)?.batch === "function", "must be a BaseStore").optional(),
    nodeId: z.unknown().optional(),
    scope: z.unknown().optional(),
    threadId: ownerOfRun,
    userId: ownerOfRun,
    ...memoryOptionFields,
  })
  .strict();

/** The memory of one node of an agent graph. Gives you the tool that edits it and the connector that shows it. */
export class MemoryNode implements MemoryProvider, ConnectableMemory {
  readonly nodeId: string;
  readonly scope: MemoryScope;
  /** Which names can be created. */
  readonly paths: PathRule;
  /** The tools an agent needs to use this memory: the unified `memory` tool. */
  readonly memoryTools: MemoryTool[];
  readonly #store: BaseStore | undefined;
  readonly #options: MemoryOptions;
  readonly #owners: Record<OwnerField, OwnerOfRun | undefined>;

  /** @throws TypeError for bad options, MemoryError EINVAL for a bad nodeId or scope */
  constructor(options: MemoryNodeOptions) {
    checkOptions("MemoryNodeOptions", optionsSchema, options);
    const { store, nodeId, scope = "global", threadId, userId, ...memoryOptions } = options;
    // Checked with a made-up owner, so that a bad node id is refused here and not in the middle of a run.
    checkAddress(isMemoryScope(scope) ? addressFor(nodeId, scope, "-") : { nodeId, scope });
    this.#owners = { threadId, userId };
    this.nodeId = nodeId;
    this.scope = scope;
    this.#store = store;
    this.#options = memoryOptions;
    this.paths = memoryOptions.paths ?? memoryDefaults.paths;
    this.memoryTools = [new MemoryTool({ memory: this })];
  }

  /**
   * The memory itself, for programs. @param owner the thread of a `perThread` node or the user of a `perUser` node; ignored for `global`.
   * @throws MemoryError ENOTMEM for a node without a store of its own, EINVAL without an owner
   */
  memory(owner?: string): Memory {
    const store = this.#storeOf(undefined);
    return this.#open(store, owner);
  }

  /**
   * The memory that a run uses. If the run names no thread or user, the process is warned once.
   * @throws MemoryError ENOTMEM, EINVAL as `memory`, EINVAL if a function for the id throws, EIO if it does not answer in time
   */
  async memoryForRun(run: MemoryRun): Promise<Memory> {
    const store = this.#storeOf(storeOf(run));
    const owner = await this.#ownerOf(run);
    try {
      return this.#open(store, owner);
    } catch (error) {
      if (MemoryError.isInstance(error) && isMissingOwner(error)) warnOfMissingOwner(this, error);
      throw error;
    }
  }

  /** The memory that all threads and users share. A connector falls back to it. @throws MemoryError ENOTMEM as `memory` */
  globalMemory(run?: MemoryRun): Memory {
    return openMemory(this.#storeOf(run && storeOf(run)), { nodeId: this.nodeId, scope: "global" }, this.#options);
  }

  /** A connector that shows this node's memory to a model. @throws TypeError for a bad config */
  createConnector(config: MemoryConnectorConfig = {}): MemoryConnectorNode {
    return new MemoryConnectorNode({ ...config, memory: this });
  }

  #open(store: BaseStore, owner: unknown): Memory {
    return openMemory(store, addressFor(this.nodeId, this.scope, owner), this.#options);
  }

  /** Anything: the address check refuses what is no id. */
  async #ownerOf(run: MemoryRun): Promise<unknown> {
    const field = ownerFields[this.scope];
    if (field === null) return undefined;
    const choose = this.#owners[field];
    if (choose === undefined) return run[field];
    const signal = signalOf(run);
    const waiting = { signals: signal ? [signal] : [], timeoutMs: this.#options.timeoutMs ?? memoryDefaults.timeoutMs };
    try {
      const owner = await withinTime(waiting, "read", async () => choose(run));
      return owner === undefined ? run[field] : owner;
    } catch (cause) {
      if (MemoryError.isInstance(cause) || isGraphBubbleUp(cause) || signal?.aborted === true) throw cause;
      throw new MemoryError("EINVAL", `EINVAL: the function ${field} of node ${this.nodeId} failed`, { cause });
    }
  }

  #storeOf(runStore: BaseStore | undefined): BaseStore {
    const store = this.#store ?? runStore;
    if (store) return store;
    throw new MemoryError(
      "ENOTMEM",
      `ENOTMEM: no memory connected: node ${this.nodeId} has no store; give MemoryNode a store, or the graph one (compile({ store }))`,
    );
  }
}
