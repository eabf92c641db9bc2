import { equal, match } from "node:assert/strict";
import { InMemoryStore } from "@langchain/langgraph";
import { generateText, stepCountIs, type streamText, ToolLoopAgent } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { MemoryNode } from "langgraph-mongo-memory";
import { createAiMemory } from "langgraph-mongo-memory/ai-sdk";

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};

/** A call of the tool, which the next step sees, on whatever version of the AI SDK is installed. */
export async function aiSdkJob(): Promise<void> {
  const node = new MemoryNode({ store: new InMemoryStore(), nodeId: "assistant", scope: "perUser" });
  const memory = createAiMemory({ memory: node, userId: "ada", content: "full", instructions: "You cook." });
  const model = new MockLanguageModelV3({
    doGenerate: async ({ prompt }) => {
      const seen = JSON.stringify(prompt);
      const input = JSON.stringify({ command: "append", path: "/notes", content: "vegetarian" });
      const isNoted = seen.includes("| vegetarian");
      return {
        content: isNoted
          ? [{ type: "text", text: seen }]
          : [{ type: "tool-call", toolCallId: "call", toolName: "memory", input }],
        finishReason: { unified: isNoted ? "stop" : "tool-calls", raw: undefined },
        usage,
        warnings: [],
      };
    },
  });
  const { text } = await generateText({ model, ...memory, prompt: "I eat no meat.", stopWhen: stepCountIs(3) });
  match(text, /You cook\.[^]*vegetarian/);
  const agent = new ToolLoopAgent({ model, ...memory });
  match((await agent.generate({ prompt: "What do I eat?" })).text, /vegetarian/);
  equal(typeof ({ model, ...memory, prompt: "" } satisfies Parameters<typeof streamText>[0]), "object");
}
