import { HumanMessage, SystemMessage } from "@langchain/core/messages";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import fc from "fast-check";
import { MemoryNode } from "../../../src/graph/memory-node.js";
import type { MemoryConnectorConfig } from "../../../src/prompt/connector-options.js";
import { path, text } from "../../../__tests__/helpers/inputs/texts.js";
import { assertClean, getOutcome } from "../oracle.js";
import { toSandbox, type Target } from "../target.js";
import { plantNeighbours } from "./neighbours.js";
import { openMemory } from "../../../src/open-memory.js";

interface Shown {
  files: [path: string, content: string][];
  config: MemoryConnectorConfig;
  threadId: string | undefined;
}

const config = fc.record(
  {
    placement: fc.constantFrom("after_system" as const, "before_system" as const, "last_message" as const),
    content: fc.constantFrom("tree" as const, "full" as const),
    maxChars: fc.oneof(fc.integer({ min: 1, max: 2000 }), fc.constantFrom(4000, 200_000)),
    systemMessages: fc.constantFrom("auto" as const, "separate" as const, "merged" as const),
    root: fc.constantFrom("/", "/memories", ""),
  },
  { requiredKeys: [] },
);

/** A tag of the fence, as a model may read it: whatever look-alikes, marks and gaps it is written with. */
const tag = /<[^\p{L}\p{N}]*memory/iu;

export const connector: Target = {
  name: "connector",
  tries: "notes of any text, shown with any options",
  casesPerSandbox: 100,
  open: async (_environment, id) => {
    const store = new InMemoryStore();
    const assertUnchanged = await plantNeighbours((address) => openMemory(store, address), {
      nodeId: id,
      threadId: "t",
    });
    const memoryNode = new MemoryNode({ store, nodeId: id, scope: "perThread" });
    return toSandbox<Shown>({
      inputs: fc.record({
        files: fc.array(fc.tuple(path, text), { maxLength: 5 }),
        config,
        threadId: fc.constantFrom("t", undefined),
      }),
      call: async ({ files, config: given, threadId }, measure) => {
        const memory = memoryNode.memory("t");
        await memory.delete("/");
        for (const [name, content] of files) await getOutcome(() => memory.write(name, content));
        const shown = memoryNode.createConnector({
          ...given,
          onError: (error) => {
            throw error;
          },
        });
        const message = await measure(() => shown.renderMessage(threadId === undefined ? {} : { threadId }));
        const messages = await measure(() =>
          shown.inject([new SystemMessage("Help."), new HumanMessage("Hello.")], {
            configurable: { thread_id: threadId },
          }),
        );
        assertClean(JSON.stringify(messages));
        if (message === null) return "nothing";
        assertShown(message.text, given.maxChars ?? 4000);
        const again = await shown.renderMessage(threadId === undefined ? {} : { threadId });
        if (again?.text !== message.text) throw new Error("the same memory is shown in another way");
        return "shown";
      },
      close: assertUnchanged,
    });
  },
};

function assertShown(shown: string, maxChars: number): void {
  if (shown.length > maxChars) throw new Error(`${shown.length} characters, of ${maxChars} at most`);
  if (!shown.isWellFormed()) throw new Error("not well-formed");
  const lines = shown.split("\n");
  if (!/^<memory scope="\w+" view="\w+">$/.test(lines[0] ?? "") || lines.at(-1) !== "</memory>")
    throw new Error("no fence around it");
  const inside = lines
    .slice(1, -1)
    .join("\n")
    .normalize("NFKD")
    .replaceAll(/[\p{M}\p{Cf}]/gu, "");
  if (tag.test(inside))
    throw new Error(
      `a tag of the fence inside it: ${inside.slice(Math.max(0, inside.search(tag) - 50)).slice(0, 200)}`,
    );
}
