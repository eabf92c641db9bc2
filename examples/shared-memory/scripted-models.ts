import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { fakeModel } from "@langchain/core/testing";

/** Replace the chat models of the three agents if there is no key. Each calls its tool once and answers. */
export function scriptedModels() {
  return {
    roads: oneCall(
      { command: "append", path: "/findings", content: "The bridge at Mill Lane is closed." },
      "I have noted the bridge.",
    ),
    weather: oneCall(
      { command: "append", path: "/findings", content: "Storm from the west at noon." },
      "I have noted the storm.",
    ),
    // The desk tries to write and gets a refusal.
    desk: oneCall(
      { command: "delete", path: "/findings" },
      "I may not delete the findings: the bridge is closed, and a storm comes.",
    ),
  };
}

const maxCalls = 100;

function oneCall(args: Record<string, string>, answer: string) {
  const model = fakeModel();
  const answerTo = (messages: BaseMessage[]): AIMessage => {
    if (messages.at(-1)?.type === "tool") return new AIMessage(answer);
    return new AIMessage({ content: "", tool_calls: [{ id: crypto.randomUUID(), name: "memory", args }] });
  };
  // LangChain's fake model takes its answers from a queue.
  for (let call = 0; call < maxCalls; call += 1) model.respond(answerTo);
  return model;
}
