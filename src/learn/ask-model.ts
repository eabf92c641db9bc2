import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { BaseMessage } from "@langchain/core/messages";
import { getField } from "../core/values/unknown-values.js";
import { createAnswerSchema } from "./operation.js";

/** Tokens, as far as the provider reports them. */
export interface LearnUsage {
  inputTokens: number;
  outputTokens: number;
}

/** Asks a model for operations, by the structured output of its provider. @throws the errors of the model */
export async function askModel(
  model: BaseChatModel,
  messages: readonly BaseMessage[],
  { allowDelete, signal, usage }: { allowDelete: boolean; signal: AbortSignal | undefined; usage: LearnUsage },
): Promise<unknown> {
  const structured = model.withStructuredOutput(createAnswerSchema(allowDelete), {
    name: "memory_operations",
    includeRaw: true,
  });
  // In a graph, the answer is no part of the streamed conversation.
  const config = { tags: ["langsmith:nostream"], ...(signal && { signal }) };
  const result: unknown = await structured.invoke([...messages], config);
  signal?.throwIfAborted();
  const raw = getField(result, "raw");
  if (raw === undefined) return result;
  const tokens = getField(raw, "usage_metadata");
  usage.inputTokens += toCount(getField(tokens, "input_tokens"));
  usage.outputTokens += toCount(getField(tokens, "output_tokens"));
  return getField(result, "parsed") ?? readRawAnswer(raw);
}

/** Reads an answer that the parser of LangChain refuses: a call of a tool, or JSON in a text. */
function readRawAnswer(raw: unknown): unknown {
  const calls = getField(raw, "tool_calls");
  const args = Array.isArray(calls) ? getField(calls[0], "args") : undefined;
  const text = getField(raw, "text");
  if (args !== undefined || typeof text !== "string") return args;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function toCount(tokens: unknown): number {
  return typeof tokens === "number" ? tokens : 0;
}

/** Returns the name of a model, for proposals. */
export function getModelName(model: BaseChatModel): string {
  // `initChatModel` of `langchain` keeps the name among its defaults.
  const places = [model, getField(model, "_defaultConfig")];
  const names = places.flatMap((place) => [getField(place, "model"), getField(place, "modelName")]);
  const name = names.find((each) => typeof each === "string");
  return typeof name === "string" && name !== "" ? name : model.getName();
}
