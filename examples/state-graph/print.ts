import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import type { Serialized } from "@langchain/core/load/serializable";
import type { BaseMessage } from "@langchain/core/messages";

/** Prints the messages of every call of a model. Pass it as one of the `callbacks` of a run. */
export class MessagePrinter extends BaseCallbackHandler {
  override name = "message-printer";
  /** Otherwise LangChain would call the handler later, in the middle of other output. */
  override awaitHandlers = true;

  override handleChatModelStart(_model: Serialized, [messages = []]: BaseMessage[][]): void {
    console.log("  The model sees:");
    for (const message of messages) {
      const lines = textOf(message).split("\n");
      lines.forEach((line, index) =>
        console.log(`    ${(index === 0 ? message.type : "").padEnd(6)} | ${line}`.trimEnd()),
      );
    }
  }
}

function textOf(message: BaseMessage): string {
  const calls = "tool_calls" in message ? (message.tool_calls as { name: string; args: unknown }[]) : [];
  return [message.text, ...calls.map(({ name, args }) => `${name}(${JSON.stringify(args)})`)]
    .filter(Boolean)
    .join("\n");
}
