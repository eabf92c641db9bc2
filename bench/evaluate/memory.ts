import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import type { BackendFeatures, Vector } from "../../src/core/contract/backend.js";
import type { Memory } from "../../src/index.js";
import {
  logConversation,
  MemoryConnectorNode,
  MemoryTree,
  openMemory,
  openMemoryOver,
} from "../measuring/built-package.js";
import type { Conversation } from "../measuring/conversations.js";

const log = { path: "/conversations", timeZone: "UTC", keepDays: null };

/**
 * Writes a conversation to the log of a memory.
 * @param meaning whether the memory ranks by meaning, too. Its storage then takes the similarity of a message from its
 * given rank, and the search fuses both rankings as it does with embeddings.
 * @param learnt other files, by their paths
 */
export async function writeConversation(
  conversation: Conversation,
  meaning: boolean,
  learnt: Readonly<Record<string, string>> = {},
): Promise<Memory> {
  const written = openMemory(new InMemoryStore(), { nodeId: "evaluate" }, { maxFileBytes: 7_500_000 });
  for (const [part, { at, messages }] of conversation.parts.entries()) {
    const said = messages.map(({ id, role, name, text }) => {
      const fields = { id, content: text, ...(name !== undefined && { name }) };
      return role === "user" ? new HumanMessage(fields) : new AIMessage(fields);
    });
    await logConversation(written, said, { at, threadId: `${part + 1}` });
  }
  for (const [path, text] of Object.entries(learnt)) await written.write(path, text);
  const tree = new MemoryTree(await written.snapshot());
  const features: BackendFeatures = {
    storage: tree,
    version: async () => "written once",
    ...(meaning && { embeddings: createRanks(conversation) }),
  };
  return openMemoryOver(
    () => ({
      read: async (path) => tree.file(path).content,
      list: async (path) => tree.list(path),
      stat: async (path) => tree.stat(path),
      snapshot: async () => tree.snapshot(),
      outline: async (options) => tree.outline(options),
      change: async () => {
        throw new Error("the memory is only read");
      },
      features,
    }),
    { nodeId: "evaluate" },
    { maxFileBytes: 7_500_000 },
  );
}

/** Embeds a message as its id. */
function createRanks({ parts, questions }: Conversation): NonNullable<BackendFeatures["embeddings"]> {
  const ids = new Map(parts.flatMap(({ messages }) => messages.map(({ id, text }) => [text.trim(), id])));
  const embed = async (texts: readonly string[]): Promise<ReadonlyMap<string, Vector>> =>
    new Map(
      texts.flatMap((text): [string, Vector][] => {
        const id = ids.get(text.slice(text.indexOf(": ") + 2));
        return id === undefined ? [] : [[text, Buffer.from(id)]];
      }),
    );
  return () => ({
    maxTexts: Infinity,
    stored: embed,
    embed,
    store: async () => undefined,
    keepOnly: async () => undefined,
    createSimilarity: async (query) => {
      const question = questions.find(({ text }) => text === query);
      const ranks = new Map(question?.bySimilarity.map((id, rank) => [id, rank]));
      return (vector) => 1 - (ranks.get(Buffer.from(vector).toString()) ?? 1000) / 1000;
    },
  });
}

/** Returns everything that a connector adds to a question. */
export async function renderPrompt(memory: Memory, question: string, maxChars: number): Promise<string> {
  const connected = { scope: "global", memoryForRun: () => memory, globalMemory: () => memory, log } as const;
  const connector = new MemoryConnectorNode({
    memory: connected,
    content: "auto",
    maxChars,
    onError: (error) => {
      throw error;
    },
  });
  const messages = await connector.inject([new HumanMessage(question)]);
  const prompt = messages
    .map(({ text }) => text)
    .join("\n")
    .replace(question, "")
    .trim();
  if (prompt.length > maxChars + separatorChars) throw new Error(`${prompt.length} characters of ${maxChars}`);
  return prompt;
}

/** Line ends between the parts of the prompt, which belong to no budget. */
const separatorChars = 4;
