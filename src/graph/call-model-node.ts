import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { type BaseMessage, SystemMessage } from "@langchain/core/messages";
import { ensureConfig, Runnable } from "@langchain/core/runnables";
import type { StructuredToolInterface } from "@langchain/core/tools";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { wrongArgument } from "../core/settings/wrong-argument.js";
import { refuseUnknownOptions } from "../core/settings/check-options.js";
import { runInContext } from "../langchain/langgraph-internals.js";
import { toMessages } from "../langchain/to-messages.js";
import { getConnector } from "./get-connector.js";
import type { MemoryConnectorNode } from "./memory-connector-node.js";
import type { MemoryNode } from "./memory-node.js";

/** The options of a CallModelNode: the model, and its input in addition to the messages of the state. */
export interface CallModelNodeOptions {
  /** A chat model. If there are `tools`, the model must be able to bind tools. */
  model: BaseChatModel;
  /** The tools of the agent, of different names. Paths are shown as they take them. @default none */
  tools?: StructuredToolInterface[];
  /** Sent to the model before the messages of the state, and never added to the state. @default none */
  systemPrompt?: string;
  /** Shows a memory next to the system prompt. A MemoryNode gets a connector with the defaults. @default none */
  memoryConnector?: MemoryConnectorNode | MemoryNode;
}

export const callModelOptionNames = ["model", "tools", "systemPrompt", "memoryConnector"];

/** The state that the node needs. The state of a graph may have more fields. */
export interface MessagesState {
  messages: BaseMessage[];
}

/**
 * Calls a chat model with the messages of the state, for `graph.addNode("call_model", node)`. Only the model's answer
 * is added to the state. You can change prompt, tools and memory at any time. A running call keeps the values with
 * which it began.
 *
 * The class is a Runnable, because LangGraph turns any other object with `invoke` into a node that does nothing.
 */
export class CallModelNode extends Runnable<MessagesState, MessagesState, LangGraphRunnableConfig> {
  static override lc_name(): string {
    return "CallModelNode";
  }

  lc_namespace = ["langgraph-mongo-memory", "graph"];
  override name = "call_model";
  readonly #model: BaseChatModel;
  #tools: readonly StructuredToolInterface[] = [];
  #systemPrompt: string;
  #memoryConnector: MemoryConnectorNode | undefined;

  /**
   * @throws TypeError for an unknown option, if the model is not a chat model or cannot bind the tools, if two tools have
   *   the same name, or if `memoryConnector` is neither a connector nor a MemoryNode
   */
  constructor(options: CallModelNodeOptions) {
    super();
    const { model, tools = [], systemPrompt = "", memoryConnector } = { ...options };
    if (typeof model?.invoke !== "function") throw wrongArgument("CallModelNode: model", "a chat model", model);
    refuseUnknownOptions("CallModelNodeOptions", options, callModelOptionNames);
    this.#model = model;
    this.#systemPrompt = checkSystemPrompt(systemPrompt);
    this.setMemoryConnector(memoryConnector);
    if (!Array.isArray(tools)) throw wrongArgument("CallModelNode: tools", "a list of tools", tools);
    for (const tool of tools) this.addTool(tool);
  }

  /** The tools of the next call of the model. */
  get tools(): readonly StructuredToolInterface[] {
    return this.#tools;
  }

  /** Sets the system prompt, from the next call of the model on. @param prompt "" removes it. @throws TypeError */
  setSystemPrompt(prompt: string): void {
    this.#systemPrompt = checkSystemPrompt(prompt);
  }

  /** @throws TypeError for no tool, if another tool has the name, or if the model cannot bind tools */
  addTool(tool: StructuredToolInterface): void {
    if (typeof tool?.name !== "string") throw wrongArgument("addTool: tool", "a tool with a name", tool);
    if (this.#tools.some((other) => other.name === tool.name)) {
      throw new TypeError(
        `a tool called ${tool.name} exists already; remove it first, or give one of them another name`,
      );
    }
    if (this.#model.bindTools === undefined) throw new TypeError("this chat model cannot bind tools");
    this.#tools = [...this.#tools, tool];
  }

  /** Removes a tool. Does nothing if the tool is missing. @param tool the tool or its name. @throws TypeError */
  removeTool(tool: StructuredToolInterface | string): void {
    const name = typeof tool === "string" ? tool : tool?.name;
    if (typeof name !== "string") throw wrongArgument("removeTool: tool", "a tool or its name", tool);
    this.#tools = this.#tools.filter((other) => other.name !== name);
  }

  /** The connector that shows a memory in the next call of the model. */
  get memoryConnector(): MemoryConnectorNode | undefined {
    return this.#memoryConnector;
  }

  /**
   * Shows a memory to the model, from the next call of the model on.
   * @param connector a connector, or a MemoryNode, which gets a connector with the defaults; undefined shows no memory
   * @throws TypeError for anything else
   */
  setMemoryConnector(connector: MemoryConnectorNode | MemoryNode | undefined): void {
    this.#memoryConnector = connector === undefined ? undefined : getConnector(connector, "the memory connector");
  }

  /**
   * Runs the model in an async context, which LangGraph does not set for a Runnable. Models and callbacks that do not
   * forward their config need the context for `getStore()`, streamed tokens, tracing and aborts. A call without a
   * config inside a node uses the config of that node.
   */
  override async invoke(state: MessagesState, config?: Partial<LangGraphRunnableConfig>): Promise<MessagesState> {
    const run: Partial<LangGraphRunnableConfig> = ensureConfig(config);
    return runInContext(run, async () => {
      const tools = this.#tools;
      const messages = await this.#messagesFor(state, run, tools);
      const bound = tools.length > 0 ? this.#model.bindTools?.([...tools]) : undefined;
      return { messages: [await (bound ?? this.#model).invoke(messages, run)] };
    });
  }

  async #messagesFor(
    state: MessagesState,
    config: Partial<LangGraphRunnableConfig>,
    tools: readonly StructuredToolInterface[],
  ): Promise<BaseMessage[]> {
    const prompt = this.#systemPrompt === "" ? [] : [new SystemMessage(this.#systemPrompt)];
    const messages = [...prompt, ...toMessages(state?.messages)];
    return this.#memoryConnector ? this.#memoryConnector.inject(messages, config, this.#model, tools) : messages;
  }
}

/** @throws TypeError */
export function checkSystemPrompt(prompt: unknown): string {
  if (typeof prompt !== "string") throw wrongArgument("the system prompt", 'a text ("" for none)', prompt);
  return prompt;
}
