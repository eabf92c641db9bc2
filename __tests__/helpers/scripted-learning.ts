import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { RunnableLambda } from "@langchain/core/runnables";
import type { Memory } from "../../src/index.js";
import { learn, type LearnOptions, type LearnReport } from "../../src/learn/index.js";
import { untyped } from "./memory-case.js";

/** A change of a memory, as a model answers with it. */
export function operation(name: string, path: string, more: object = {}): object {
  const fields = { text: null, oldText: null, to: null, reason: "the notes say so", sources: ["s1"] };
  return { operation: name, path, ...fields, ...more };
}

/** Runs `learn` with a model that gives this answer, after it has done something else meanwhile. */
export function learnWith(
  memory: Memory,
  operations: readonly object[],
  { meanwhile, ...options }: Partial<Parameters<typeof learn>[0]> & { meanwhile?: () => Promise<unknown> } = {},
): Promise<LearnReport> {
  const answer = async (): Promise<object> => {
    await meanwhile?.();
    return { parsed: { operations }, raw: {} };
  };
  const model: BaseChatModel = untyped({
    model: "scripted-1",
    withStructuredOutput: () => RunnableLambda.from(answer),
  });
  const all: LearnOptions = { memory, model, ...options };
  return learn(all);
}
