import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { fakeModel } from "@langchain/core/testing";

const maxCalls = 10_000;

/** Replaces a chat model if there is no key. It notes each statement, and answers from the memory that it sees. */
export function scriptedModel() {
  const model = fakeModel();
  // LangChain's fake model takes its answers from a queue.
  for (let call = 0; call < maxCalls; call += 1) model.respond(answerTo);
  return model;
}

function answerTo(messages: BaseMessage[]): AIMessage {
  const last = messages.at(-1);
  if (last?.type === "tool") return new AIMessage("Noted for everyone.");
  // What was said in earlier threads is shown in front of the question.
  if (last?.text.split("</memory>").at(-1)?.includes("moved")) {
    const args = { command: "append", path: "/servers/staging", content: "Port 8443 since Monday." };
    return new AIMessage({ content: "", tool_calls: [{ id: crypto.randomUUID(), name: "memory", args }] });
  }
  return new AIMessage(
    messages[0]?.text.includes("8443") ? "Staging listens on port 8443." : "I do not know the port.",
  );
}
