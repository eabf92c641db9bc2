import type { BaseStore } from "@langchain/langgraph-checkpoint";
import { z } from "zod";
import { checkPolicy, guardField, type MemoryGuard, type MemoryRule, rulesField } from "../core/access/policy.js";
import { getRights } from "../core/access/rights.js";
import type { MemoryActor } from "../core/values/actor.js";
import { addressFor, checkAddress, isMemoryScope, type MemoryScope } from "../core/values/address.js";
import type { OnAsk } from "../core/access/approval-requester.js";
import type { Memory, MemoryRights } from "../core/memory.js";
import { combineRights } from "../core/mounts/mounts.js";
import { checkOptions, createFunctionField, refuseUnknownOptions } from "../core/settings/check-options.js";
import { memoryDefaults, memoryOptionFields, type MemoryOptions } from "../core/memory-options.js";
import { type ConnectorForm, connectorForm } from "../core/display/connector-form.js";
import type { PathRule } from "../core/values/paths.js";
import type { ListMemories } from "../prompt/explain.js";
import { connectorFields, type MemoryConnectorConfig } from "../prompt/connector-options.js";
import {
  checkLogOptions,
  type ConversationLog,
  type ConversationLogOptions,
  isSameLog,
  protectLog,
} from "../conversation/options.js";
import { defineRunnableMark } from "../langchain/langgraph-internals.js";
import type { MemoryRun } from "../langchain/memory-run.js";
import type { MemoryProvider } from "../langchain/memory-source.js";
import { allMemoryCommands } from "../dialects/unified/options.js";
import { MemoryTool } from "../langchain/memory-tool.js";
import { type ConnectableMemory, MemoryConnectorNode } from "./memory-connector-node.js";
import { NodeMemories, type NodeSettings } from "./node-memories.js";
import { checkNodeMounts, type MountOptions } from "./node-mounts.js";
import type { OwnerOfRun } from "./owner-of-run.js";
import { hasMethod } from "../core/values/unknown-values.js";

/** The options of a MemoryNode. */
export interface MemoryNodeOptions extends MemoryOptions {
  /**
   * The store of the memory. LangGraph's own server replaces the store of `compile({ store })`, so pass it here if the
   * graph runs there. @default the run's store, which `compile({ store })` or `createAgent({ store })` sets
   */
  store?: BaseStore;
  /** Names the memory. Nodes with the same id in the same store share their memory. */
  nodeId: string;
  /** Who shares a memory: all, each thread (`perThread`) or each user (`perUser`). @default "global" */
  scope?: MemoryScope;
  /**
   * For `perThread`: finds the thread of a run. The function must answer within `timeoutMs`. @default
   * `configurable.thread_id` of the run
   */
  threadId?: OwnerOfRun;
  /**
   * For `perUser`: finds the user of a run. The function must answer within `timeoutMs`. @default the user of the run,
   * as in {@link MemoryRun}
   */
  userId?: OwnerOfRun;
  /**
   * More memories in the same tree, by mount point, such as `{ "/team": { nodeId: "team", access: "read" } }`. The
   * node's own memory is at "/". An entry "/" sets the `access` and `description` of this memory. At most
   * 32. @default none
   */
  mounts?: Record<string, MountOptions>;
  /**
   * Rules that limit the changes on some paths, for all users of this node's memory. At most 100. The first rule that
   * matches a path decides. A refused change is EACCES. A program that must write can use `store.memory(address)`.
   * @default none
   */
  rules?: MemoryRule[];
  /**
   * Gets each text before it is stored, and can change or refuse the text. The guard must answer within `timeoutMs`.
   * @default none
   */
  guard?: MemoryGuard;
  /**
   * The way to a person's decision if the `access` is "ask". `"interrupt"`: the run waits for a person, who approves, edits
   * or rejects the change; the graph needs a checkpointer. `"propose"`: the run goes on, and a person decides later
   * (`memory.proposals`); this needs a MongoMemoryStore.
   * @default "interrupt"
   */
  onAsk?: OnAsk;
  /** Whether the tool of `memoryTools` has the command `search`. @default false */
  search?: boolean;
  /**
   * Keeps a log of the conversations in the memory, which the tools of this node can read and search, but not change.
   * `memoryMiddleware`, `Agent` and `createConversationLog` write it. `true` means the defaults. @default false
   */
  log?: boolean | ConversationLogOptions;
}

/** The schema of an option `onAsk`. */
export const onAskField = z.enum(["interrupt", "propose"], { message: 'must be "interrupt" or "propose"' });

const ownerOfRun = createFunctionField<OwnerOfRun>("must be a function from a run to an id").optional();

const optionsSchema = z.strictObject({
  store: z.custom<BaseStore>((store) => hasMethod(store, "batch"), "must be a BaseStore").optional(),
  nodeId: z.unknown().optional(),
  scope: z.unknown().optional(),
  threadId: ownerOfRun,
  userId: ownerOfRun,
  mounts: z.unknown().optional(),
  rules: rulesField.optional(),
  guard: guardField.optional(),
  onAsk: onAskField.optional(),
  search: z.boolean().optional(),
  log: z.unknown().optional(),
  ...memoryOptionFields,
});

/**
 * The memory of one node of an agent graph. Provides the tool that edits the memory and the connector that shows it.
 */
export class MemoryNode implements MemoryProvider, ConnectableMemory {
  readonly nodeId: string;
  readonly scope: MemoryScope;
  /** The rule of the names that can be created. */
  readonly paths: PathRule;
  /** The tools that an agent needs for this memory: the unified `memory` tool. */
  readonly memoryTools: MemoryTool[];
  /** @internal */
  [connectorForm]: ConnectorForm | null = null;
  readonly #settings: NodeSettings;
  readonly #memories: NodeMemories;
  #log: ConversationLog | null = null;

  /** @throws TypeError for bad options, MemoryError EINVAL for a bad nodeId or scope */
  constructor(options: MemoryNodeOptions) {
    checkOptions("MemoryNodeOptions", optionsSchema, options);
    const {
      store,
      nodeId,
      scope: chosenScope,
      threadId,
      userId,
      mounts,
      rules = [],
      guard,
      onAsk = "interrupt",
      search = false,
      log = false,
      ...memoryOptions
    } = options;
    const scope = chosenScope ?? "global";
    // Checks with a made-up owner, so that a bad node id is refused now and not during a run.
    checkAddress(isMemoryScope(scope) ? addressFor(nodeId, scope, "-") : { nodeId, scope });
    const checkedMounts = mounts === undefined ? null : checkNodeMounts(mounts);
    this.nodeId = nodeId;
    this.scope = scope;
    this.paths = memoryOptions.paths ?? memoryDefaults.paths;
    this.#settings = {
      nodeId,
      scope,
      isScopeChosen: chosenScope !== undefined,
      store,
      options: memoryOptions,
      functions: { threadId, userId },
      mounts: checkedMounts,
      policy: rules.length > 0 || guard ? checkPolicy({ rules, guard }) : null,
      onAsk,
    };
    this.#memories = new NodeMemories(this.#settings);
    this.memoryTools = [new MemoryTool({ memory: this, ...(search && { commands: [...allMemoryCommands] }) })];
    this.setLog(log);
    defineRunnableMark(this, refuseAsGraphNode);
  }

  /** The changes that rules, mounts and the log allow. Undefined if they allow all changes. */
  get rights(): MemoryRights | undefined {
    const { mounts, policy } = this.#settings;
    return combineRights(mounts?.rights, policy !== null && policy.rules.length > 0 ? getRights([policy]) : undefined);
  }

  /** The log of the conversations. Null without one. */
  get log(): ConversationLog | null {
    return this.#log;
  }

  /**
   * Does the same as the option `log`. `true` keeps the log that the node has.
   * @throws TypeError for bad options, another log, or a log that the mounts do not let the node write. @internal
   */
  setLog(options: boolean | ConversationLogOptions): void {
    if (options === false || (options === true && this.#log !== null)) return;
    const log = checkLogOptions(options);
    const { mounts, policy, nodeId } = this.#settings;
    if (this.#log !== null && !isSameLog(this.#log, log))
      throw new TypeError(`node ${JSON.stringify(nodeId)} already has a log with other options`);
    if (this.#log !== null) return;
    const access = mounts?.rights?.accessAt?.(log.path) ?? "write";
    if (access === "read" || access === "append")
      throw new TypeError(`the log of node ${JSON.stringify(nodeId)} is in a memory with access "${access}"`);
    this.#log = log;
    this.#settings.policy = { access: "write", ...policy, rules: [protectLog(log), ...(policy?.rules ?? [])] };
    for (const tool of this.memoryTools) tool.setMemorySource(this);
  }

  /**
   * Returns the memory with its mounts, for programs. Rules and guard apply.
   * @param owner the thread of a `perThread` node or the user of a `perUser` node, also for its mounts. For a `global`
   * node, the owner of its mounts
   * @throws MemoryError ENOTMEM for a node that has no store, EINVAL without an owner
   * @throws TypeError if a mount finds its memory by an asynchronous function: then use `memoryForRun`
   */
  memory(owner?: string): Memory {
    return this.#memories.openForProgram(owner);
  }

  /**
   * Returns the memory that a run uses, with its mounts. Its calls end with the run, and its changes name the run. If
   * the run names no thread or user, the process prints one warning. A mount without its thread or user stays in the
   * tree, and calls on paths below this mount are EINVAL.
   * @throws MemoryError ENOTMEM and EINVAL as `memory`, EINVAL if a function for the id throws, EIO if the function
   * does not answer in time
   */
  memoryForRun(run: MemoryRun): Promise<Memory> {
    return this.#memories.openForRun(run);
  }

  /** As `memory`, but a mount without its thread or user stays in the tree, as in a run. @internal */
  memoryToShow(owner?: string): Memory {
    return this.#memories.openForProgram(owner, false);
  }

  /** Lists the memories of a node. None if the store cannot list any. @internal */
  listMemories(run: MemoryRun, filter: Parameters<ListMemories>[0]): ReturnType<ListMemories> {
    return this.#memories.list(run, filter);
  }

  /** Returns the same memory with the node's global memory at "/", for a run that names no thread or user. @internal */
  async sharedMemoryForRun(run: MemoryRun): Promise<Memory> {
    return this.#memories.openSharedForRun(run);
  }

  /**
   * Returns the memory that all threads and users share, which a connector shows if the run's own memory has no files.
   * @throws MemoryError ENOTMEM as `memory`
   */
  globalMemory(run?: MemoryRun): Memory {
    return this.#memories.openShared(run ?? null);
  }

  /**
   * Returns the node's own memory for a person, such as one who edits it on the page. The limits and the guard of the
   * node apply. Its rules do not, because they are for agents. @internal
   */
  memoryForPerson(owner: string | undefined, actor: MemoryActor): Memory {
    return this.#memories.openForPerson(owner, actor);
  }

  /** Creates a connector that shows this node's memory to a model. @throws TypeError for a bad config */
  createConnector(config: MemoryConnectorConfig = {}): MemoryConnectorNode {
    refuseUnknownOptions("MemoryConnectorConfig", config, Object.keys(connectorFields));
    return new MemoryConnectorNode({ ...config, memory: this });
  }
}

/** Reason: LangGraph would turn the MemoryNode into a graph node that does nothing. */
function refuseAsGraphNode(): never {
  throw new TypeError(
    "a MemoryNode cannot be a node of a StateGraph: add a CallModelNode with its memoryTools and its createConnector(), " +
      "and a ToolNode with its memoryTools; in a node of your own, use memoryNode.memoryForRun",
  );
}
