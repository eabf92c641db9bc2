import type { BaseMessage } from "@langchain/core/messages";
import type { Memory, MemoryConnectorConfig } from "../../src/index.js";

/** A budget that the memory of `writeManyNotes` exceeds. */
export const auto = { content: "auto", maxChars: 1500 } as const satisfies MemoryConnectorConfig;

/** Writes notes that are larger than the budget of `auto`. Each is the only one with its word, such as `word7`. */
export async function writeManyNotes(memory: Memory, owner = "a note"): Promise<void> {
  for (let number = 0; number < 40; number += 1)
    await memory.write(`/notes/${number}`, `word${number} is what ${owner} says, and it says nothing else.`);
}

/** Returns the part of the turn, which is before the text of the user's last message. "" without one. */
export function getTurnPart(messages: readonly BaseMessage[], question: string): string {
  const text = messages.findLast(({ type }) => type === "human")?.text ?? "";
  return removeQuestion(text, question);
}

/** @throws if the text does not end with the question */
export function removeQuestion(text: string, question: string): string {
  if (!text.endsWith(question)) throw new Error(`not the question: ${text}`);
  return text.slice(0, text.length - question.length);
}
