import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { fakeModel } from "@langchain/core/testing";

const maxCalls = 100;

/** Replaces a chat model if there is no key. It notes each message, and its answer depends on the result. */
export function scriptedModel() {
  const model = fakeModel();
  // LangChain's fake model takes its answers from a queue.
  for (let call = 0; call < maxCalls; call += 1) model.respond(answerTo);
  return model;
}

function answerTo(messages: BaseMessage[]): AIMessage {
  const last = messages.at(-1);
  if (last?.type === "tool")
    return new AIMessage(last.text.includes('"ok":true') ? "Noted." : "As you wish: I have not noted it.");
  if (last?.text.startsWith("Where ")) {
    return new AIMessage(messages[0]?.text.includes("Mill Lane") ? "To 5 Mill Lane." : "I do not know.");
  }
  const args = { command: "append", path: "/delivery", content: last?.text ?? "" };
  return new AIMessage({ content: "", tool_calls: [{ id: crypto.randomUUID(), name: "memory", args }] });
}
