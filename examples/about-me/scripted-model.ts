import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { fakeModel } from "@langchain/core/testing";

const maxCalls = 100;

/** Replaces a chat model if there is no key. It notes each message, and then answers. */
export function scriptedModel() {
  const model = fakeModel();
  // LangChain's fake model takes its answers from a queue.
  for (let call = 0; call < maxCalls; call += 1) model.respond(answerTo);
  return model;
}

function answerTo(messages: BaseMessage[]): AIMessage {
  const last = messages.at(-1);
  if (last?.type !== "human") return new AIMessage("I have noted that.");
  const args = { command: "append", path: "/facts", content: last.text };
  return new AIMessage({ content: "", tool_calls: [{ id: "call-1", name: "memory", args }] });
}
