import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { fakeModel } from "@langchain/core/testing";

const maxCalls = 100;

/** Replaces a chat model if there is no key. It notes each statement, and answers from the messages that it sees. */
export function scriptedModel() {
  const model = fakeModel();
  // LangChain's fake model takes its answers from a queue.
  for (let call = 0; call < maxCalls; call += 1) model.respond(answerTo);
  return model;
}

function answerTo(messages: BaseMessage[]): AIMessage {
  const last = messages.at(-1);
  if (last?.type === "tool") return new AIMessage("Noted: you run Linux.");
  // What was said in earlier threads is shown in front of the question.
  if (last?.text.split("</memory>").at(-1)?.includes("I run Linux")) {
    const args = { command: "append", path: "/profile/system", content: "Runs Linux." };
    return new AIMessage({ content: "", tool_calls: [{ id: crypto.randomUUID(), name: "memory", args }] });
  }
  const isShown = messages[0]?.text.includes("Runs Linux");
  return new AIMessage(isShown ? "Run update.sh, as you are on Linux." : "Which system do you run?");
}
