import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { fakeModel } from "@langchain/core/testing";

const maxCalls = 100;

/** Replaces a chat model if there is no key. It notes each statement, and answers from the memory that it sees. */
export function scriptedModel() {
  const model = fakeModel();
  // LangChain's fake model takes its answers from a queue.
  for (let call = 0; call < maxCalls; call += 1) model.respond(answerTo);
  return model;
}

function answerTo(messages: BaseMessage[]): AIMessage {
  if (messages.some(({ type }) => type === "tool")) return new AIMessage("Noted for everyone.");
  if (messages.some(({ text }) => text.includes("moved"))) {
    const args = { command: "append", path: "/servers/staging", content: "Port 8443 since Monday." };
    return new AIMessage({ content: "", tool_calls: [{ id: crypto.randomUUID(), name: "memory", args }] });
  }
  const isShown = messages.some(({ text }) => text.includes("8443"));
  return new AIMessage(isShown ? "Staging listens on port 8443." : "I do not know the port.");
}
