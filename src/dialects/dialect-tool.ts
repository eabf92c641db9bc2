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
import { type FlatSchema, toolFor, type ToldTool, type ToolAnswer, type ToolDefinition } from "./dialect.js";
import { runOf } from "./memory-run.js";
import { checkMemorySource, knownOf, memoryOf, type MemorySource } from "./memory-source.js";

/**
 * The LangChain tool of any dialect. It never throws: any arguments, a missing thread and a failing storage are
 * answered in the dialect's own form. Only an interrupt or an abort of the run passes through. LangChain's own refusal
 * of bad arguments would show the model a stack trace (`createAgent`) or end the run (with `wrapToolCall` middleware).
 */
export class DialectTool<Arguments = unknown> extends StructuredTool<FlatSchema, unknown, Arguments, string> {
  /** The name by which LangChain serialises it. */
  static override lc_name(): string {
    return "DialectTool";
  }

  override readonly name: string;
  override description: string;
  override schema: FlatSchema;
  readonly title: string | undefined;
  readonly #definition: ToolDefinition;
  #told: ToldTool;
  #source: MemorySource | undefined;

  /** @throws TypeError where the source is no memory source */
  constructor(definition: ToolDefinition, source?: MemorySource) {
    super();
    const { name, title, extras } = definition;
    this.#told = toolFor(definition, {});
    this.name = name;
    this.description = this.#told.description;
    this.title = title;
    this.schema = this.#told.schema;
    if (title !== undefined) this.metadata = { title };
    if (extras !== undefined) this.extras = extras;
    this.#definition = definition;
    if (source !== undefined) this.setMemorySource(source);
  }

  /** Connects the tool to a memory, or to another one; calls under way finish on the one they began with. */
  setMemorySource(source: MemorySource): void {
    checkMemorySource(source);
    this.#source = source;
    this.#told = toolFor(this.#definition, knownOf(source));
    this.description = this.#told.description;
    this.schema = this.#told.schema;
  }

  /** Called by LangChain with arguments that the schema has admitted. */
  protected async _call(
    args: unknown,
    _runManager?: CallbackManagerForToolRun,
    config?: ToolRunnableConfig,
  ): Promise<string> {
    const answer = await this.#answer(args, config);
    const id = config?.toolCall?.id;
    // Only a ToolMessage can carry the status. LangChain passes it on as it is, though its types do not say so.
    if (answer.failed && id !== undefined) return this.#message(answer, id) as unknown as string;
    return answer.text;
  }

  /** Arguments that the schema refuses never reach `_call`; they are answered here, without a trace. */
  override async invoke<
    Input extends StructuredToolCallInput<FlatSchema, Arguments>,
    Config extends ToolRunnableConfig | undefined,
  >(input: Input, config?: Config): Promise<ToolReturnType<Input, Config, string>> {
    const call: unknown = input;
    const args = withoutUndefined(isToolCall(call) ? call.args : call);
    if (isJson(args) && !isToolCall(args)) {
      try {
        return await super.invoke((isToolCall(call) ? { ...call, args } : args) as Input, config);
      } catch (error) {
        if (!isParsingError(error)) throw error;
      }
    }
    // A call that forwards no config gets that of the surrounding run, as in LangChain itself.
    const answer = await this.#answer(args, ensureConfig<ToolRunnableConfig>(config));
    const id = isToolCall(call) ? call.id : config?.toolCall?.id;
    return (id === undefined ? answer.text : this.#message(answer, id)) as ToolReturnType<Input, Config, string>;
  }

  async #answer(args: unknown, config: ToolRunnableConfig | undefined): Promise<ToolAnswer> {
    config?.signal?.throwIfAborted();
    const source = this.#source;
    const { answer, failure } = this.#told;
    try {
      return await answer(args, () => memoryOf(source, runOf(config)));
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

/** Programs leave an optional argument out by `undefined`; JSON, in which models speak, has none. */
function withoutUndefined(args: unknown): unknown {
  if (typeof args !== "object" || args === null || Array.isArray(args)) return args;
  return Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined));
}

/**
 * No tool takes more than a list. Of the same object in several places each is counted, as LangChain goes through it
 * each time.
 */
const maxObjects = 1000;

/**
 * Whether LangChain can check `value`: it throws errors of its own at what JSON cannot express (undefined, bigint,
 * cycles), at nesting deeper than the stack and at a name with a lone surrogate.
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

/** By shape: its `name` is just "Error", and there may be two copies of the class. */
function isParsingError(error: unknown): boolean {
  return error instanceof Error && "output" in error && error.message.startsWith("Received tool input did not match");
}
