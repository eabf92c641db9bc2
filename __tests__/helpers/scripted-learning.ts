import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { type BaseMessage, type BaseMessageLike, HumanMessage } from "@langchain/core/messages";
import { RunnableLambda } from "@langchain/core/runnables";
import type { Memory, MemoryProposal } from "../../src/index.js";
import { learn, type LearnOptions, type LearnReport } from "../../src/learn/index.js";
import { untyped } from "./memory-case.js";
import { readAll } from "./read-all.js";

/** Operations, an error, or a function that returns a whole answer. */
export type Answer = unknown[] | Error | ((prompt: string) => unknown);

/** The person who decides in tests. */
export const by = { userId: "ada" };

/** A model that gives these answers one after another, and keeps what it was asked. */
export function scripted(...answers: Answer[]): { model: BaseChatModel; prompts: string[] } {
  const prompts: string[] = [];
  const answer = async (messages: BaseMessage[]): Promise<unknown> => {
    prompts.push(messages.map((message) => message.text).join("\n\n"));
    const next = answers[prompts.length - 1];
    if (next === undefined) throw new Error("the model was asked too often");
    if (next instanceof Error) throw next;
    const parsed = typeof next === "function" ? await next(prompts.at(-1) ?? "") : { operations: next };
    return { parsed, raw: { usage_metadata: { input_tokens: 7, output_tokens: 3 } } };
  };
  const model = { model: "scripted-1", withStructuredOutput: () => RunnableLambda.from(answer) };
  return { model: untyped(model), prompts };
}

export function said(text: string): BaseMessage[] {
  return [new HumanMessage({ id: `m-${text}`, content: text })];
}

/** Creates an operation of an answer. */
export function change(operation: string, path: string, more: object = {}): object {
  const rest = { text: null, oldText: null, to: null, reason: "the user said so", sources: ["s1"] };
  return { operation, path, ...rest, ...more };
}

export async function waiting(memory: Memory): Promise<MemoryProposal[]> {
  return memory.proposals ? readAll(memory.proposals.list()) : [];
}

export async function texts(memory: Memory): Promise<Record<string, string>> {
  const { files } = await memory.snapshot();
  return Object.fromEntries(files.map(({ path, content }) => [path, content]));
}

export async function writeTexts(memory: Memory, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) await memory.write(path, content);
}

/** Runs `learn` with these answers. Without options it learns from one message. */
export async function learnFrom(
  memory: LearnOptions["memory"],
  answers: Answer[],
  options: Partial<LearnOptions> & { messages?: BaseMessageLike[] } = { messages: said("I moved to Oslo.") },
): Promise<LearnReport & { prompts: string[] }> {
  const { model, prompts } = scripted(...answers);
  return { ...(await learn({ memory, model, ...options })), prompts };
}

/** Runs `learn` with a model that gives these operations, after it has done something else meanwhile. */
export function learnWith(
  memory: Memory,
  operations: readonly unknown[],
  { meanwhile, ...options }: Partial<Parameters<typeof learn>[0]> & { meanwhile?: () => Promise<unknown> } = {},
): Promise<LearnReport> {
  const answer = async (): Promise<unknown> => {
    await meanwhile?.();
    return { operations };
  };
  const { model } = scripted(answer, answer);
  return learn({ memory, model, ...options });
}
