import type { CallbackManagerForToolRun } from "@langchain/core/callbacks/manager";
import { ToolMessage } from "@langchain/core/messages";
import { ensureConfig } from "@langchain/core/runnables";
import {
  StructuredTool,
  type StructuredToolCallInput,
  type ToolReturnType,
  type ToolRunnableConfig,
} from "@langchain/core/tools";
import { isGraphBubbleUp } from "@langchain/langgraph";
import {
  type AdaptedTool,
  adaptTool,
  type FlatSchema,
  type ToolAnswer,
  type ToolDefinition,
} from "../dialects/dialect.js";
import { addAbsent, readArguments } from "../dialects/read-arguments.js";
import { isArgumentsError } from "./langgraph-internals.js";
import { getBinding, getMemoryRun } from "./memory-run.js";
import { identifyCall } from "./task.js";
import { toolPaths, type ToolPaths } from "./tool-paths.js";
import { checkMemorySource, getKnownMemory, openMemoryForRun, type MemorySource } from "./memory-source.js";

/**
 * The LangChain tool of any dialect. It throws only an interrupt or an abort of the run. For any arguments, a missing
 * thread or a failing storage, the tool answers in the dialect's format. LangChain's own refusal of bad arguments would
 * show the model a stack trace (`createAgent`) or end the run (with `wrapToolCall` middleware).
 */
export class DialectTool<Arguments = unknown> extends StructuredTool<FlatSchema, unknown, Arguments, string> {
  /** The name under which LangChain serializes the tool. */
  static override lc_name(): string {
    return "DialectTool";
  }

  override readonly name: string;
  override description: string;
  override schema: FlatSchema;
  readonly title: string | undefined;
  readonly #definition: ToolDefinition;
  #tool: AdaptedTool;
  #source: MemorySource | undefined;

  /** @throws TypeError if `source` is not a memory source */
  constructor(definition: ToolDefinition, source?: MemorySource) {
    super();
    const { name, title, extras } = definition;
    this.#tool = adaptTool(definition, {});
    this.name = name;
    this.description = this.#tool.description;
    this.title = title;
    this.schema = this.#tool.schema;
    if (title !== undefined) this.metadata = { title };
    if (extras !== undefined) this.extras = extras;
    this.#definition = definition;
    if (source !== undefined) this.setMemorySource(source);
  }

  /** Connects the tool to another memory. Running calls finish on the memory with which they began. */
  setMemorySource(source: MemorySource): void {
    checkMemorySource(source);
    this.#source = source;
    this.#tool = adaptTool(this.#definition, getKnownMemory(source));
    this.description = this.#tool.description;
    this.schema = this.#tool.schema;
  }

  /** @internal */
  get [toolPaths](): ToolPaths {
    return { root: this.#definition.shownRoot, source: this.#source };
  }

  /** LangChain calls this method only with arguments that fit the schema. */
  protected async _call(
    args: unknown,
    _runManager?: CallbackManagerForToolRun,
    config?: ToolRunnableConfig,
  ): Promise<string> {
    const answer = await this.#answer(args, config, true);
    const id = config?.toolCall?.id;
    // Only a ToolMessage can have the status. LangChain passes it on unchanged, though its types allow only a string.
    if (answer.failed && id !== undefined) return this.#message(answer, id) as unknown as string;
    return answer.text;
  }

  /** Answers arguments that do not fit the schema, which never reach `_call`, without a trace. */
  override async invoke<
    Input extends StructuredToolCallInput<FlatSchema, Arguments>,
    Config extends ToolRunnableConfig | undefined,
  >(input: Input, config?: Config): Promise<ToolReturnType<Input, Config, string>> {
    const call: unknown = input;
    const args = addAbsent(this.schema, readArguments(this.schema, isToolCall(call) ? call.args : call));
    const isData = isJson(args);
    if (isData && !isToolCall(args)) {
      try {
        // The same input, in the form that fits the schema.
        return await super.invoke((isToolCall(call) ? { ...call, args } : args) as Input, config);
      } catch (error) {
        if (!isArgumentsError(error)) throw error;
      }
    }
    const id = isToolCall(call) ? call.id : config?.toolCall?.id;
    // A call without a config gets the config of the surrounding run, as in LangChain itself.
    const runConfig = { ...ensureConfig<ToolRunnableConfig>(config), ...(id !== undefined && { toolCallId: id }) };
    const answer = await this.#answer(args, runConfig, isData);
    // Calls with an id get a message. The return type follows from the types of the input and the config.
    return (id === undefined ? answer.text : this.#message(answer, id)) as ToolReturnType<Input, Config, string>;
  }

  /** @param isData whether JSON can express the arguments. Only then has the call an identity */
  async #answer(args: unknown, config: ToolRunnableConfig | undefined, isData: boolean): Promise<ToolAnswer> {
    config?.signal?.throwIfAborted();
    const source = this.#source;
    const { answer, failure } = this.#tool;
    try {
      const run = getMemoryRun(config);
      return await answer(args, async () => {
        const memory = await openMemoryForRun(source, run);
        const call = isData ? identifyCall(run, this.name, args) : null;
        // Not earlier, because a function that chooses the memory may change it.
        if (call !== null) getBinding(run).call = call;
        return memory;
      });
    } catch (error) {
      if (isGraphBubbleUp(error) || config?.signal?.aborted === true) throw error;
      return failure(args, error);
    }
  }

  #message({ text, failed }: ToolAnswer, toolCallId: string): ToolMessage {
    const status = failed ? "error" : "success";
    const metadata = this.metadata && { metadata: this.metadata };
    return new ToolMessage({ content: text, tool_call_id: toolCallId, name: this.name, status, ...metadata });
  }
}

function isToolCall(input: unknown): input is { type: "tool_call"; args: unknown; id?: string } {
  return typeof input === "object" && input !== null && "type" in input && input.type === "tool_call";
}

/**
 * More than any tool needs. An object that occurs several times counts each time, because LangChain visits it each
 * time.
 */
const maxObjects = 1000;

/**
 * Whether LangChain can check `value`. LangChain throws its own errors at a value that JSON cannot express (undefined,
 * bigint, cycles), at nesting deeper than the stack and at a name with a lone surrogate.
 */
function isJson(value: unknown): boolean {
  let objects = 0;
  const isPart = (part: unknown, depth: number): boolean => {
    if (typeof part !== "object") return ["string", "number", "boolean"].includes(typeof part);
    if (part === null) return true;
    objects += 1;
    if (depth >= 100 || objects > maxObjects) return false;
    return Object.entries(part).every(([name, child]) => name.isWellFormed() && isPart(child, depth + 1));
  };
  return isPart(value, 0);
}
