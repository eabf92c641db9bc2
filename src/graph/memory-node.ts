import type { BaseStore } from "@langchain/langgraph-checkpoint";
import { z } from "zod";
import { checkAddress, type MemoryScope } from "../core/address.js";
import { MemoryError } from "../core/errors.js";
import type { Memory } from "../core/memory.js";
import { checkOptions, memoryDefaults, memoryOptionFields, type MemoryOptions } from "../core/options.js";
import type { PathRule } from "../core/paths.js";
import type { MemoryConnectorConfig } from "../prompt/connector-options.js";
import { openMemory } from "../open-memory.js";
import type { MemoryProvider, StoreRun } from "../dialects/memory-source.js";
import { MemoryTool } from "../dialects/unified/memory-tool.js";
import { type ConnectableMemory, MemoryConnectorNode } from "./memory-connector-node.js";

export interface MemoryNodeOptions extends MemoryOptions {
  /** Where the memory lies. @default the run's store, which `compile({ store })` or `createAgent({ store })` gives */
  store?: BaseStore;
  /** Names the memory. Nodes of the same id in the same store share it. */
  nodeId: string;
  /** @default "global" */
  scope?: MemoryScope;
}

const optionsSchema = z
  .object({
    store: z.custom<BaseStore>((store) => typeof (store as BaseStore | undefined)?.batch === "function", "must be a BaseStore").optional(),
    nodeId: z.unknown().optional(),
    scope: z.unknown().optional(),
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

  /** @throws TypeError for bad options, MemoryError EINVAL for a bad nodeId or scope */
  constructor(options: MemoryNodeOptions) {
    checkOptions("MemoryNodeOptions", optionsSchema, options);
    const { store, nodeId, scope = "global", ...memoryOptions } = options;
    // Checked with a made-up thread, so that a bad node id is refused here and not in the middle of a run.
    checkAddress(scope === "perThread" ? { nodeId, scope, threadId: "-" } : { nodeId, scope });
    this.nodeId = nodeId;
    this.scope = scope;
    this.#store = store;
    this.#options = memoryOptions;
    this.paths = memoryOptions.paths ?? memoryDefaults.paths;
    this.memoryTools = [new MemoryTool({ memory: this })];
  }

  /**
   * The memory itself, for programs. @param threadId required for `perThread`, ignored for `global`.
   * @throws MemoryError ENOTMEM for a node without a store of its own, EINVAL without a thread id
   */
  memory(threadId?: string): Memory {
    return this.memoryForRun({ threadId });
  }

  /** The memory that a run uses. @throws MemoryError ENOTMEM, EINVAL as `memory` */
  memoryForRun({ threadId, store }: StoreRun): Memory {
    if (this.scope === "global") return this.globalMemory({ store });
    return openMemory(this.#storeOf(store), { nodeId: this.nodeId, scope: this.scope, threadId }, this.#options);
  }

  /** The memory that all threads share. A connector of a `perThread` node falls back to it. @throws as `memory` */
  globalMemory({ store }: StoreRun = {}): Memory {
    return openMemory(this.#storeOf(store), { nodeId: this.nodeId, scope: "global" }, this.#options);
  }

  /** A connector that shows this node's memory to a model. @throws TypeError for a bad config */
  createConnector(config: MemoryConnectorConfig = {}): MemoryConnectorNode {
    return new MemoryConnectorNode({ ...config, memory: this });
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
