import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { fakeModel } from "@langchain/core/testing";

const maxCalls = 100;

/**
 * Stands for a chat model where there is no key: one step after another, as many as there are answers of tools so far.
 */
export function scriptedModel() {
  const model = fakeModel();
  // LangChain's fake model answers from a queue.
  for (let call = 0; call < maxCalls; call += 1) model.respond(answerTo);
  return model;
}

const steps = [
  callOf({ command: "read", path: "/tasks/garden" }),
  callOf({ command: "append", path: "/tasks/garden", content: "[ ] water the beans\n[ ] sow kale" }),
  callOf({ command: "update", path: "/tasks/garden", oldContent: "[ ] water", content: "[x] water" }),
  new AIMessage("The beans are done; the kale is still to sow."),
];

function answerTo(messages: BaseMessage[]): AIMessage {
  return steps[messages.filter(({ type }) => type === "tool").length] ?? new AIMessage("Done.");
}

function callOf(args: Record<string, string>): AIMessage {
  return new AIMessage({ content: "", tool_calls: [{ id: crypto.randomUUID(), name: "memory", args }] });
}
