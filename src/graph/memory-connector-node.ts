import type { BaseMessage } from "@langchain/core/messages";
import { SystemMessage } from "@langchain/core/messages";
import { ensureConfig, type RunnableConfig } from "@langchain/core/runnables";
import type { BaseStore } from "@langchain/langgraph-checkpoint";
import type { MemoryScope } from "../core/address.js";
import { MemoryError } from "../core/errors.js";
import type { Memory, MemoryOutline } from "../core/memory.js";
import { checkConnectorConfig, connectorDefaults, type MemoryConnectorConfig } from "../prompt/connector-options.js";
import { takesSeparateSystemMessages } from "../prompt/client-capabilities.js";
import { placeMemory } from "../prompt/place.js";
import { renderMemory } from "../prompt/render.js";
import { endingWith, hasThread, type MemoryRun, runOf, type StoreRun } from "../dialects/memory-source.js";

/** The memories of one node, as a connector needs them; `MemoryNode` is one. */
export interface ConnectableMemory {
  readonly scope: MemoryScope;
  /** The memory of the run's thread, or the global one, by `scope`. */
  memoryForRun(run: StoreRun): Memory;
  /** The node's memory that all threads share. */
  globalMemory(run: StoreRun): Memory;
}

export interface MemoryConnectorNodeOptions extends MemoryConnectorConfig {
  memory: ConnectableMemory;
}

/**
 * Shows a memory to the model: one message, made anew for each call and never part of the graph's state.
 *
 * For a `perThread` node it shows the thread's memory. If that is empty or the run has no thread, it shows the node's global one.
 * The message says which. The same memory gives the same bytes, so that prompt caches hold.
 */
export class MemoryConnectorNode {
  readonly #memory: ConnectableMemory;
  readonly #config: ReturnType<typeof checkConnectorConfig>;

  /** @throws TypeError for bad options */
  constructor(options: MemoryConnectorNodeOptions) {
    const { memory, ...config } = { ...options };
    if (typeof memory?.memoryForRun !== "function" || typeof memory.globalMemory !== "function") {
      throw new TypeError("MemoryConnectorNode: memory must be a MemoryNode");
    }
    this.#memory = memory;
    this.#config = checkConnectorConfig(config);
    Object.defineProperty(this, "lc_runnable", { get: refuseAsGraphNode });
  }

  /**
   * The memory as a system message, whatever `role` and `placement` are, or null if there is nothing to show. Sends one command,
   * or two if the thread's memory is empty.
   * @throws MemoryError EIO if the memory cannot be read, ENOTMEM without a store
   */
  async renderMessage(run: MemoryRun & { store?: BaseStore } = {}): Promise<SystemMessage | null> {
    const text = await this.#render(run);
    return text === null ? null : new SystemMessage(text);
  }

  /**
   * The messages with the memory in its place. The given array and messages stay as they are. Never rejects because of the
   * memory: if it cannot be read, the messages come back without it and `onError` is told. If the run's signal aborts, it
   * rejects with the signal's reason.
   *
   * @param config the run's config: its `configurable.thread_id` and `store` say which memory, its `signal` ends the call. Default: that of the run
   *   around this call, if LangGraph knows it.
   * @param model the client the messages go to, which decides what `systemMessages: "auto"` means; without it the memory
   *   is merged into the one system message, which every client takes.
   */
  async inject(messages: BaseMessage[], config?: RunnableConfig, model?: unknown): Promise<BaseMessage[]> {
    const run = ensureConfig(config);
    const text = await this.#renderOrReport(runOf(run));
    if (text === null) return messages;
    const { placement, systemMessages, role } = this.#config;
    const separate =
      systemMessages === "auto" ? takesSeparateSystemMessages(model, run.configurable) : systemMessages === "separate";
    return placeMemory(messages, text, { placement, separate, asUser: role === "user" });
  }

  async #renderOrReport(run: StoreRun): Promise<string | null> {
    try {
      return await this.#render(run);
    } catch (cause) {
      run.signal?.throwIfAborted();
      const error = MemoryError.isInstance(cause)
        ? cause
        : new MemoryError("EIO", "EIO: the memory could not be shown to the model", { cause });
      this.#report(error);
      return null;
    }
  }

  /** A hook that fails, at once or later, must not break the run either; it is reported in the default way. */
  #report(failure: MemoryError): void {
    const warn = (): void => connectorDefaults.onError(failure);
    try {
      const told: unknown = this.#config.onError(failure);
      Promise.resolve(told).catch(warn);
    } catch {
      warn();
    }
  }

  async #render(run: StoreRun): Promise<string | null> {
    const { content, maxChars } = this.#config;
    if (this.#memory.scope === "perThread" && hasThread(run)) {
      const own = await this.#outline(run, this.#memory.memoryForRun(run));
      const isEmpty = own.files.length + own.directories.length === 0;
      if (!isEmpty) return renderMemory(own, { content, maxChars, scope: "perThread", fallback: false });
    }
    const shared = await this.#outline(run, this.#memory.globalMemory(run));
    return renderMemory(shared, { content, maxChars, scope: "global", fallback: this.#memory.scope === "perThread" });
  }

  async #outline(run: StoreRun, memory: Memory): Promise<MemoryOutline> {
    const { content, maxChars } = this.#config;
    // A UTF-16 unit takes at most three bytes of UTF-8: contents of more bytes than that cannot fit.
    return endingWith(run, memory).outline({ maxContentBytes: content === "full" ? maxChars * 3 : 0 });
  }
}

/** LangGraph's `addNode` asks for `lc_runnable` first, and would make a node that does nothing of an object without it. */
function refuseAsGraphNode(): never {
  throw new TypeError(
    "a MemoryConnectorNode is no node of a StateGraph: give it to setMemoryConnector of the CallModelNode, or to " +
      "attachMemoryConnector of the Agent, that is to see the memory",
  );
}
