import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { fakeModel } from "@langchain/core/testing";

const maxCalls = 100;

/** Replaces a chat model if there is no key. The number of tool answers so far decides the next step. */
export function scriptedModel() {
  const model = fakeModel();
  // LangChain's fake model takes its answers from a queue.
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
