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
  const last = messages.at(-1);
  if (last?.type === "tool") return new AIMessage("I have noted it.");
  if (last?.text.startsWith("I am ")) {
    const args = { command: "append", path: "/profile/food.md", content: "Ada is vegetarian." };
    return new AIMessage({ content: "", tool_calls: [{ id: crypto.randomUUID(), name: "memory", args }] });
  }
  const isShown = messages[0]?.text.includes("vegetarian");
  return new AIMessage(isShown ? "Mushroom risotto." : "Anything: I know nothing about you yet.");
}
