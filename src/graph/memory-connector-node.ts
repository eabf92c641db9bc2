import type { BaseMessage, BaseMessageLike } from "@langchain/core/messages";
import { SystemMessage } from "@langchain/core/messages";
import { ensureConfig, type RunnableConfig } from "@langchain/core/runnables";
import type { BaseStore } from "@langchain/langgraph-checkpoint";
import { wrongArgument } from "../core/settings/wrong-argument.js";
import { runInTimeSlices } from "../core/runtime/time-slices.js";
import { ROOT } from "../core/values/paths.js";
import { isMissingOwner, type MemoryScope, ownerFields } from "../core/values/address.js";
import { MemoryError } from "../core/values/errors.js";
import { bindMemory } from "../core/bind-memory.js";
import type { Memory } from "../core/memory.js";
import { keepConnectorForm, type WithConnectorForm } from "../core/display/connector-form.js";
import type { MountOutline } from "../core/mounts/mounted-outlines.js";
import {
  checkConnectorConfig,
  connectorDefaults,
  getDefaultContent,
  type MemoryConnectorConfig,
  type MemoryContent,
} from "../prompt/connector-options.js";
import { takesSeparateSystemMessages } from "../prompt/client-capabilities.js";
import { explainPrompt, explainShown, type ListMemories, type MemoryExplanation } from "../prompt/explain.js";
import { langChainMessages, placeMemory } from "../prompt/place.js";
import {
  type Form,
  joinParts,
  type MemoryParts,
  readAtRoot,
  readToShow,
  showMemories,
  type ShownPrompt,
} from "../prompt/shown-memory.js";
import { createTurn, getUserTurn, joinUserMessage, type UserTurn } from "../prompt/user-turn.js";
import { defineRunnableMark } from "../langchain/langgraph-internals.js";
import { readInRun, type ShownRead } from "../langchain/read-in-run.js";
import { toMessages } from "../langchain/to-messages.js";
import type { ConversationLog, ConversationLogOptions } from "../conversation/options.js";
import { isRecord } from "../core/values/unknown-values.js";
import { reportFailure, toFailure } from "../langchain/report-failure.js";
import { getBinding, getMemoryRun, type MemoryRun } from "../langchain/memory-run.js";
import { findShownRoot } from "../langchain/tool-paths.js";
import { getTurnKey, TurnParts } from "./turn-parts.js";

/** The memories of one node, as a connector needs them. A `MemoryNode` has these members. */
export interface ConnectableMemory extends WithConnectorForm {
  readonly scope: MemoryScope;
  /** Returns the memory of the run's thread or user, or the global memory. `scope` decides. */
  memoryForRun(run: MemoryRun): Memory | Promise<Memory>;
  /** Returns the node's memory that all threads and users share. */
  globalMemory(run: MemoryRun): Memory;
  /** Returns the same tree as `memoryForRun`, but with the global memory at "/". Omit it without mounts. @internal */
  sharedMemoryForRun?(run: MemoryRun): Promise<Memory>;
  /** Lists the memories of a node in the store of the run. @internal */
  listMemories?(run: MemoryRun, filter: Parameters<ListMemories>[0]): ReturnType<ListMemories>;
  /** The log of the conversations. Omit it if there is none. */
  readonly log?: ConversationLog | null;
  /** Gives the memory a log. Omit it if a program cannot choose the log. @internal */
  setLog?(options: boolean | ConversationLogOptions): void;
}

/** A memory that may have a log, and the function that gets the errors of the log. */
export interface LogSource {
  readonly memory: ConnectableMemory;
  readonly onError?: ((error: MemoryError) => void) | undefined;
}

/** A run as a program describes it. A `global` node with a store needs none of these fields. */
export interface RenderedRun extends Partial<MemoryRun> {
  /** For a node that has no store. */
  store?: BaseStore | undefined;
  /** Ends the call. */
  signal?: AbortSignal | undefined;
  /** The text for which `content: "auto"` searches the memory, such as the user's message. @default none */
  question?: string | undefined;
}

/** The options of a MemoryConnectorNode. */
export interface MemoryConnectorNodeOptions extends MemoryConnectorConfig {
  /** A MemoryNode, or an object with the same functions. */
  memory: ConnectableMemory;
}

/**
 * Shows a memory to the model. Each call creates one message, which never becomes part of the graph's state.
 *
 * For a `perThread` or `perUser` node, the message shows the memory of the run's thread or user. If that memory has
 * no files, or if the run names no thread or user, it shows the node's global memory. The message says which memory it
 * shows. The same memory gives the same bytes, so prompt caches stay valid.
 */
export class MemoryConnectorNode {
  /** The memory, and the function that an agent's log reports to. @internal */
  readonly source: LogSource;
  readonly #memory: ConnectableMemory;
  readonly #config: ReturnType<typeof checkConnectorConfig>;
  readonly #turnParts = new TurnParts();

  /** @throws TypeError for bad options */
  constructor(options: MemoryConnectorNodeOptions) {
    const { memory, ...config } = { ...options };
    if (typeof memory?.memoryForRun !== "function" || typeof memory.globalMemory !== "function") {
      throw wrongArgument("MemoryConnectorNode: memory", "a MemoryNode", memory);
    }
    this.#memory = memory;
    this.source = { memory, onError: config.onError };
    this.#config = checkConnectorConfig(config);
    const { content, maxChars, pinned, tokens, root } = this.#config;
    keepConnectorForm(memory, { content, maxChars, pinned, tokens, root });
    defineRunnableMark(this, refuseAsGraphNode);
  }

  /**
   * Returns the memory as a system message, or null if there is nothing to show: an empty memory is shown as empty, but
   * not in a run without its thread or user. Ignores `role` and `placement`. Sends
   * one command, or two if the memory of the thread or user has no files.
   * @throws MemoryError EIO if the memory cannot be read, ENOTMEM without a store, EINVAL for an id that is not a
   * string, and for a `question` about the memory of a thread or a user that is not named, TypeError for a run that is
   * no object
   */
  async renderMessage(shown: RenderedRun = {}): Promise<SystemMessage | null> {
    if (!isRecord(shown)) throw wrongArgument("renderMessage: run", "an object, such as { threadId, userId }", shown);
    const { question = "" }: RenderedRun = shown;
    const prompt = await this.#renderNow(createRun(shown), question);
    const { missingOwner } = prompt;
    if (missingOwner !== null && question !== "") {
      const field = ownerFields[missingOwner];
      throw new MemoryError("EINVAL", `${field} is missing: pass { question, ${field} }`, {
        details: { missingOwner: true },
      });
    }
    const text = joinParts(prompt);
    return text === null ? null : new SystemMessage(text);
  }

  /**
   * Explains what the model would see for a question, and why it would not see the rest. Takes the same way as a prompt,
   * and then reads which versions are redacted, and which other memories the node has.
   * @param options the thread and the user, as for a run, and the text of the user's message
   * @throws MemoryError EIO if the history or the store cannot be read, TypeError for bad arguments
   */
  async explain(options: { run?: Omit<RenderedRun, "question">; question: string }): Promise<MemoryExplanation> {
    const { run: shown = {}, question } = options;
    if (typeof question !== "string") throw wrongArgument("explain: question", "a text", question);
    if (!isRecord(shown)) throw wrongArgument("explain: run", "an object, such as { threadId, userId }", shown);
    const run = createRun(shown);
    const show = async (): Promise<ShownPrompt> => {
      try {
        return await this.#renderNow(run, question);
      } catch (cause) {
        throw toFailure(cause, run.config.signal, notShown);
      }
    };
    return explainPrompt(show, (filter) => this.#memory.listMemories?.(run, filter) ?? []);
  }

  /**
   * Returns the messages with the memory added. Does not change the given array or messages. If the memory cannot be
   * read, calls `onError` and returns the messages without the memory. If the run's signal aborts, rejects with the
   * signal's reason.
   *
   * @param config the config of the run. Its thread, user and `store` choose the memory. Its `signal` ends the call.
   * Default: the config of the run around this call, if LangGraph knows it.
   * @param model the client that gets the messages. The client decides what `systemMessages: "auto"` means. Without a
   * client, the memory is added to the one system message, which every client accepts.
   * @param tools the tools of the model. Paths are shown as these tools take them. Default: as the unified tool
   */
  async inject(
    given: BaseMessageLike[],
    config?: RunnableConfig,
    model?: unknown,
    tools: readonly object[] = [],
  ): Promise<BaseMessage[]> {
    const messages = toMessages(given);
    const run = ensureConfig(config);
    const parts = await this.showParts(getUserTurn(messages, langChainMessages), getMemoryRun(run), tools);
    const { placement, systemMessages, role } = this.#config;
    const separate =
      systemMessages === "auto" ? takesSeparateSystemMessages(model, run.configurable) : systemMessages === "separate";
    const joined = parts.turn === null ? messages : joinUserMessage(messages, parts.turn, langChainMessages);
    // Without a message of the user, both parts have the placement.
    const text = joined === null ? joinParts(parts) : parts.text;
    if (text === null) return joined ?? messages;
    return placeMemory(joined ?? messages, text, { placement, separate, asUser: role === "user" });
  }

  /** Renders the memory for a turn. Calls `onError` and shows nothing if the memory cannot be read. @internal */
  async showParts(turn: UserTurn, run: MemoryRun, tools: readonly object[] = []): Promise<MemoryParts> {
    try {
      return await readInRun(
        () => this.#shown,
        () => this.#render(run, this.#findRoot(tools), turn),
        run.config,
      );
    } catch (cause) {
      this.#report(toFailure(cause, run.config.signal, notShown));
      return { text: null, turn: null };
    }
  }

  /** Renders the memory for a question, as it is now. */
  #renderNow(run: MemoryRun, question: string): Promise<ShownPrompt> {
    return this.#render(run, this.#findRoot([]), createTurn(question));
  }

  get #content(): MemoryContent {
    return this.#config.content ?? getDefaultContent(this.#memory);
  }

  #findRoot(tools: readonly object[]): string {
    return this.#config.root ?? findShownRoot(tools, this.#memory) ?? ROOT;
  }

  #report(failure: MemoryError): void {
    reportFailure(failure, this.#config.onError, connectorDefaults.onError);
  }

  async #render(run: MemoryRun, root: string, turn: UserTurn): Promise<ShownPrompt> {
    const content = this.#content;
    const { maxChars, pinned, tokens } = this.#config;
    const { memory, isOwnerMissing } = await this.#open(run);
    const { scope } = this.#memory;
    const key = content === "auto" ? getTurnKey(run, memory, root, turn) : null;
    const shown = await this.#turnParts.show(key, turn.isFirst, async (kept) => {
      const question = kept === null ? turn.question : "";
      const form: Form = {
        content,
        maxChars,
        pinned,
        tokens,
        root,
        question,
        kept,
        logPath: this.#memory.log?.path ?? null,
      };
      const read = (): Promise<MountOutline> => this.#readShared(run, memory, form);
      const shared = scope === "global" ? null : { scope, isOwnerMissing, read };
      return showMemories(await readToShow(memory, form), shared, form);
    });
    for (const { mount } of shown.outlines) if (mount.missingOwner) this.#report(mount.missingOwner);
    return shown;
  }

  /** Opens the run's memory. If the run names no thread or user, reports this, and opens the global memory instead. */
  async #open(run: MemoryRun): Promise<{ memory: Memory; isOwnerMissing: boolean }> {
    try {
      return {
        memory: bindMemory(await this.#memory.memoryForRun(run), { run: getBinding(run) }),
        isOwnerMissing: false,
      };
    } catch (error) {
      if (!MemoryError.isInstance(error) || !isMissingOwner(error)) throw error;
      this.#report(error);
      const shared = await (this.#memory.sharedMemoryForRun?.(run) ?? this.#memory.globalMemory(run));
      return { memory: bindMemory(shared, { run: getBinding(run) }), isOwnerMissing: true };
    }
  }

  #readShared(run: MemoryRun, memory: Memory, form: Form): Promise<MountOutline> {
    return readAtRoot(bindMemory(this.#memory.globalMemory(run), { run: getBinding(run) }), memory, form);
  }

  get #shown(): ShownRead<ShownPrompt> {
    return {
      name: "memory connector",
      place: this.#content,
      found: ({ text, turn }) => [text, turn].flatMap((part) => (part === null ? [] : [{ chars: part.length }])),
      // A kept turn shows the passages that the event of its first call names.
      explain: async (prompt) => (prompt.parts.length === 0 ? {} : runInTimeSlices(explainShown(prompt), null)),
    };
  }
}

const notShown = "EIO: the memory could not be shown to the model";

function createRun({ store, signal, config, question: _question, ...run }: RenderedRun): MemoryRun {
  return { ...run, config: { ...config, ...(store && { store }), ...(signal && { signal }) } };
}

function refuseAsGraphNode(): never {
  throw new TypeError(
    "a MemoryConnectorNode cannot be a node of a StateGraph: give it to setMemoryConnector of a CallModelNode, or to " +
      "attachMemoryConnector of an Agent",
  );
}
