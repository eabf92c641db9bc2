import { MockLanguageModelV4 } from "ai/test";

const usage = {
  inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 0, text: 0, reasoning: 0 },
};

/** Replaces a model if there is no key. It notes each statement, and answers from the memory that it sees. */
export function scriptedModel(): MockLanguageModelV4 {
  return new MockLanguageModelV4({
    modelId: "scripted",
    doGenerate: async ({ prompt }) => {
      const last = prompt.at(-1);
      if (last?.role === "tool") return answer("Noted: you eat no meat.");
      // What was said in earlier threads is shown in front of the question.
      const question = JSON.stringify(last).split("</memory>").at(-1);
      if (question?.includes("I am vegetarian")) return note("/food.md", "Is vegetarian.");
      const isKnown = JSON.stringify(prompt).includes("| Is vegetarian.");
      return answer(isKnown ? "Lentil soup, as you are vegetarian." : "Do you eat meat?");
    },
  });
}

function answer(text: string) {
  const finishReason = { unified: "stop", raw: undefined } as const;
  return { content: [{ type: "text" as const, text }], finishReason, usage, warnings: [] };
}

function note(path: string, content: string) {
  const finishReason = { unified: "tool-calls", raw: undefined } as const;
  const input = JSON.stringify({ command: "append", path, content });
  const call = { type: "tool-call" as const, toolCallId: crypto.randomUUID(), toolName: "memory", input };
  return { content: [call], finishReason, usage, warnings: [] };
}
