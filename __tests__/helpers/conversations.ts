import type { BaseMessage } from "@langchain/core/messages";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";

/** Finds the renderings of memories in the messages that a model was sent. */
export function shownMemories(messages: readonly BaseMessage[]): string[] {
  return messages.flatMap((message) => message.text.match(/<memory scope=[\s\S]*?<\/memory>/g) ?? []);
}

/** Lists the files and directories of a rendering, without sizes. */
export function shownEntries(messages: readonly BaseMessage[]): string[] {
  return shownMemories(messages).flatMap((memory) =>
    memory.split("\n").flatMap((line) => (line.startsWith("/") ? [line.replace(/ \(.*$/, "")] : [])),
  );
}

/** Formats messages as `type: text`, to compare whole conversations at a glance. */
export function brief(messages: readonly BaseMessage[]): string[] {
  return messages.map((message) => `${message.type}: ${message.text}`);
}

/** Returns everything that a checkpointer keeps about a thread, as one text. */
export async function checkpointed(checkpointer: BaseCheckpointSaver, threadId: string): Promise<string> {
  const tuples: unknown[] = [];
  for await (const tuple of checkpointer.list({ configurable: { thread_id: threadId } })) {
    tuples.push(tuple.checkpoint, tuple.metadata, tuple.pendingWrites);
  }
  if (tuples.length === 0) throw new Error("nothing is checkpointed");
  return JSON.stringify(tuples);
}
