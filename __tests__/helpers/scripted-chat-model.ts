import type { CallbackManagerForLLMRun } from "@langchain/core/callbacks/manager";
import { BaseChatModel, type BindToolsInput } from "@langchain/core/language_models/chat_models";
import { AIMessage, AIMessageChunk, type BaseMessage } from "@langchain/core/messages";
import { ChatGenerationChunk, type ChatResult } from "@langchain/core/outputs";
import type { Runnable } from "@langchain/core/runnables";

export interface ScriptedCall {
  tool: string;
  args: Record<string, unknown>;
}

/** The answer of the model: a text, a call of a tool, or several calls at once. */
export type ScriptedAnswer = string | ScriptedCall | ScriptedCall[];

/** Chooses the answer to the messages that the model was sent. */
export type Script = (messages: readonly BaseMessage[]) => ScriptedAnswer;

/**
 * A chat model without a key or a network: a function answers. It keeps the messages of every call, so that a program
 * can show what a model would have seen, and it streams word by word.
 */
export class ScriptedChatModel extends BaseChatModel {
  /** The messages of each call, oldest first. */
  readonly calls: BaseMessage[][] = [];
  /** The tools of the last call of `bindTools`. */
  boundTools: BindToolsInput[] = [];
  readonly #script: Script;

  constructor(script: Script) {
    super({});
    this.#script = script;
  }

  override _llmType(): string {
    return "scripted";
  }

  override bindTools(tools: BindToolsInput[]): Runnable<BaseMessage[], AIMessageChunk> {
    this.boundTools = tools;
    return this;
  }

  override async _generate(messages: BaseMessage[], options?: this["ParsedCallOptions"]): Promise<ChatResult> {
    options?.signal?.throwIfAborted();
    const message = this.#answer(messages);
    return { generations: [{ text: message.text, message }] };
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    options: this["ParsedCallOptions"],
    runManager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    const { text, id, tool_calls: calls = [] } = this.#answer(messages);
    const words = calls.length > 0 ? [""] : text.split(/(?<= )/);
    for (const word of words) {
      options.signal?.throwIfAborted();
      const chunks = calls.map((call, index) => ({ ...call, args: JSON.stringify(call.args), index }));
      const message = new AIMessageChunk({ content: word, ...(id && { id }), tool_call_chunks: chunks as never });
      yield new ChatGenerationChunk({ text: word, message });
      await runManager?.handleLLMNewToken(word, undefined, undefined, undefined, undefined, {
        chunk: new ChatGenerationChunk({ text: word, message }),
      });
    }
  }

  #answer(messages: BaseMessage[]): AIMessage {
    this.calls.push(messages);
    const answer = this.#script(messages);
    const id = `scripted-${this.calls.length}`;
    if (typeof answer === "string") return new AIMessage({ id, content: answer });
    const calls = [answer].flat().map(({ tool, args }, index) => {
      const suffix = index === 0 ? "" : `-${index + 1}`;
      return { id: `call-${this.calls.length}${suffix}`, name: tool, args, type: "tool_call" as const };
    });
    return new AIMessage({ id, content: "", tool_calls: calls });
  }
}
