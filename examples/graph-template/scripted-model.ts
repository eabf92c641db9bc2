import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { fakeModel } from "@langchain/core/testing";

const maxCalls = 100;

/** Replaces a chat model if there is no key. It notes each statement, and looks up each question. */
export function scriptedModel() {
  const model = fakeModel();
  // LangChain's fake model takes its answers from a queue.
  for (let call = 0; call < maxCalls; call += 1) model.respond(answerTo);
  return model;
}

function answerTo(messages: BaseMessage[]): AIMessage {
  const isQuestion = messages.findLast(({ type }) => type === "human")?.text.endsWith("?");
  if (messages.at(-1)?.type === "tool") {
    return new AIMessage(isQuestion ? "On Mondays. Have you watered them today?" : "I have noted it.");
  }
  return isQuestion
    ? callOf("memory_readonly", { command: "read", path: "/garden/beans" })
    : callOf("memory_write", { command: "append", path: "/garden/beans", content: "Watered on Mondays." });
}

function callOf(name: string, args: Record<string, string>): AIMessage {
  return new AIMessage({ content: "", tool_calls: [{ id: crypto.randomUUID(), name, args }] });
}
