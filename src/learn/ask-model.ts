import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { BaseMessage } from "@langchain/core/messages";
import { getField } from "../core/values/unknown-values.js";
import { createAnswerSchema } from "./operation.js";

/** The tokens of a run. 0 if the provider reports none. */
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
  const result: unknown = await structured.invoke([...messages], config).catch((error: unknown) => {
    if (isAboutAnswer(error)) return null;
    throw error;
  });
  signal?.throwIfAborted();
  const raw = getField(result, "raw");
  if (raw === undefined) return result;
  const tokens = getField(raw, "usage_metadata");
  usage.inputTokens += toCount(getField(tokens, "input_tokens"));
  usage.outputTokens += toCount(getField(tokens, "output_tokens"));
  // Some parsers complete a cut answer. Then the sources or the text of its last operation could be cut too.
  if (isCut(getField(raw, "response_metadata"))) return null;
  return getField(result, "parsed") ?? readRawAnswer(raw);
}

/** Whether the client of a provider has thrown because an answer is not JSON, is cut, or was filtered. */
function isAboutAnswer(error: unknown): boolean {
  const kind = getField(getField(error, "constructor"), "name");
  return getField(error, "name") === "SyntaxError" || String(kind).endsWith("FinishReasonError");
}

/** Whether the provider reports that the answer has reached its limit of tokens. */
function isCut(metadata: unknown): boolean {
  const facts = ["finish_reason", "finishReason", "stop_reason", "stopReason", "done_reason", "status"];
  return facts.some((fact) => /^(?:length|max_tokens|incomplete)$/i.test(String(getField(metadata, fact))));
}

/** Reads an answer that LangChain's parser refuses: a tool call, or JSON in a text. */
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
