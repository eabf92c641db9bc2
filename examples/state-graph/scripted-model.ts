import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { fakeModel } from "@langchain/core/testing";

const maxCalls = 100;

/** Replaces a chat model if there is no key. It calls no tool, and answers from the memory that it sees. */
export function scriptedModel() {
  const model = fakeModel();
  // LangChain's fake model takes its answers from a queue.
  for (let call = 0; call < maxCalls; call += 1) model.respond(answerTo);
  return model;
}

function answerTo(messages: BaseMessage[]): AIMessage {
  // What was said in earlier threads is shown in front of the question.
  const question = messages.at(-1)?.text.split("</memory>").at(-1)?.trim();
  if (question?.startsWith("I am ")) return new AIMessage("Nice to meet you.");
  const isShown = messages.some(({ text }) => text.includes("vegetarian"));
  return new AIMessage(isShown ? "Mushroom risotto." : "Anything: I know nothing about you yet.");
}
