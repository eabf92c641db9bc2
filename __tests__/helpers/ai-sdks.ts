import * as six from "ai-6";
import { MockLanguageModelV3, simulateReadableStream as simulateStreamOf6 } from "ai-6/test";
import * as seven from "ai";
import { MockLanguageModelV4, simulateReadableStream as simulateStreamOf7 } from "ai/test";
import type { AiMemory } from "../../src/ai-sdk/ai-memory.js";

/** A call of a tool, as the model writes it. */
export interface AiCall {
  tool: string;
  args: unknown;
}

/** Answers the texts of a prompt by a text, or by calls of tools at once. */
export type AiScript = (prompt: readonly PromptMessage[]) => string | AiCall[];

/** A message as the provider gets it. */
export interface PromptMessage {
  role: string;
  /** All texts and results of the message. */
  text: string;
  providerOptions?: unknown;
}

export interface AiRequest {
  memory: AiMemory;
  script: AiScript;
  prompt?: string;
  /** The system prompt of the call. */
  system?: string;
  abortSignal?: AbortSignal;
}

export interface AiOutcome {
  text: string;
  /** What the model saw at each step. */
  prompts: PromptMessage[][];
  /** The tools that the provider got at the first step. */
  tools: { name: string; description?: string; inputSchema: unknown }[];
  /** The outputs of all tools. */
  outputs: unknown[];
  /** The types of all parts of all steps. */
  parts: string[];
}

/** The same calls in a version of the AI SDK. */
export interface AiSdk {
  generate(request: AiRequest): Promise<AiOutcome>;
  stream(request: AiRequest): Promise<AiOutcome & { pieces: string[] }>;
  /** By one ToolLoopAgent for many users, who are chosen for each call. */
  askAgent(script: AiScript, memoryOf: (userId: string) => AiMemory, userIds: readonly string[]): Promise<AiOutcome[]>;
}

// The SDK would print warnings of mock models.
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};

type Content =
  | { type: "text"; text: string }
  | { type: "tool-call"; toolCallId: string; toolName: string; input: string };

function answerOf(script: AiScript, prompt: readonly { role: string; content: unknown }[]) {
  const answer = script(promptOf(prompt));
  const isText = typeof answer === "string";
  const content: Content[] = isText
    ? [{ type: "text", text: answer }]
    : answer.map(({ tool, args }, index) => ({
        type: "tool-call",
        toolCallId: `call-${prompt.length}-${index}`,
        toolName: tool,
        input: JSON.stringify(args),
      }));
  const unified: "stop" | "tool-calls" = isText ? "stop" : "tool-calls";
  return { content, finishReason: { unified, raw: undefined }, usage, warnings: [] };
}

type Chunk =
  | Exclude<Content, { type: "text" }>
  | { type: "stream-start"; warnings: never[] }
  | { type: "text-start" | "text-end"; id: string }
  | { type: "text-delta"; id: string; delta: string }
  | (Pick<ReturnType<typeof answerOf>, "finishReason" | "usage"> & { type: "finish" });

function chunksOf({ content, finishReason }: ReturnType<typeof answerOf>): Chunk[] {
  const id = "1";
  const chunks = content.flatMap((part): Chunk[] => {
    if (part.type === "tool-call") return [part];
    const deltas = part.text.split(/(?<= )/).map((delta): Chunk => ({ type: "text-delta", id, delta }));
    return [{ type: "text-start", id }, ...deltas, { type: "text-end", id }];
  });
  return [{ type: "stream-start", warnings: [] }, ...chunks, { type: "finish", finishReason, usage }];
}

function promptOf(prompt: readonly { role: string; content: unknown; providerOptions?: unknown }[]): PromptMessage[] {
  return prompt.map(({ role, content, providerOptions }) => ({
    role,
    text: typeof content === "string" ? content : textOf(content),
    ...(providerOptions !== undefined && { providerOptions }),
  }));
}

function textOf(content: unknown): string {
  const parts = content as { text?: string; output?: { value: unknown } }[];
  return parts.map(({ text, output }) => text ?? (output === undefined ? "" : String(output.value))).join("\n");
}

interface Call {
  prompt: readonly { role: string; content: unknown }[];
  tools?: readonly object[] | undefined;
}

interface Step {
  content: readonly { type: string; output?: unknown }[];
}

function outcomeOf(text: string, calls: readonly Call[], steps: readonly Step[]): AiOutcome {
  const parts = steps.flatMap(({ content }) => content);
  return {
    text,
    prompts: calls.map(({ prompt }) => promptOf(prompt)),
    tools: (calls[0]?.tools ?? []) as AiOutcome["tools"],
    outputs: parts.filter(({ type }) => type === "tool-result").map(({ output }) => output),
    parts: parts.map(({ type }) => type),
  };
}

/** @param calls where the model keeps its calls. Each user's are taken out */
async function askForEach(
  agent: {
    generate(call: { prompt: string; options: { userId: string } }): Promise<{ text: string; steps: readonly Step[] }>;
  },
  calls: Call[],
  userIds: readonly string[],
): Promise<AiOutcome[]> {
  const outcomes: AiOutcome[] = [];
  for (const userId of userIds) {
    const { text, steps } = await agent.generate({ prompt: "Hello", options: { userId } });
    outcomes.push(outcomeOf(text, calls.splice(0), steps));
  }
  return outcomes;
}

async function takePieces(stream: AsyncIterable<string>): Promise<string[]> {
  const pieces: string[] = [];
  for await (const piece of stream) pieces.push(piece);
  return pieces;
}

function modelOf6(script: AiScript): MockLanguageModelV3 {
  return new MockLanguageModelV3({
    doGenerate: async ({ prompt }) => answerOf(script, prompt),
    doStream: async ({ prompt }) => ({ stream: simulateStreamOf6({ chunks: chunksOf(answerOf(script, prompt)) }) }),
  });
}

const sdk6: AiSdk = {
  async generate({ memory, script, prompt = "Hello", ...others }) {
    const model = modelOf6(script);
    const settings = { ...memory, ...others, stopWhen: six.stepCountIs(5) };
    const { text, steps } = await six.generateText({ model, prompt, ...settings });
    return outcomeOf(text, model.doGenerateCalls, steps);
  },
  async stream({ memory, script, prompt = "Hello", ...others }) {
    const model = modelOf6(script);
    const result = six.streamText({ model, prompt, ...memory, ...others, stopWhen: six.stepCountIs(5) });
    const pieces = await takePieces(result.textStream);
    return { ...outcomeOf(await result.text, model.doStreamCalls, await result.steps), pieces };
  },
  async askAgent(script, memoryOf, userIds) {
    const model = modelOf6(script);
    const agent = new six.ToolLoopAgent<{ userId: string }>({
      model,
      instructions: "You cook.",
      prepareCall: ({ options, ...settings }) => ({ ...settings, ...memoryOf(options.userId) }),
    });
    return askForEach(agent, model.doGenerateCalls, userIds);
  },
};

function modelOf7(script: AiScript): MockLanguageModelV4 {
  return new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => answerOf(script, prompt),
    doStream: async ({ prompt }) => ({ stream: simulateStreamOf7({ chunks: chunksOf(answerOf(script, prompt)) }) }),
  });
}

const sdk7: AiSdk = {
  async generate({ memory, script, prompt = "Hello", system, ...others }) {
    const model = modelOf7(script);
    const settings = { ...memory, ...others, ...(system !== undefined && { instructions: system }) };
    const { text, steps } = await seven.generateText({ model, prompt, ...settings, stopWhen: seven.isStepCount(5) });
    return outcomeOf(text, model.doGenerateCalls, steps);
  },
  async stream({ memory, script, prompt = "Hello", system, ...others }) {
    const model = modelOf7(script);
    const settings = { ...memory, ...others, ...(system !== undefined && { instructions: system }) };
    const result = seven.streamText({ model, prompt, ...settings, stopWhen: seven.isStepCount(5) });
    const pieces = await takePieces(result.textStream);
    return { ...outcomeOf(await result.text, model.doStreamCalls, await result.steps), pieces };
  },
  async askAgent(script, memoryOf, userIds) {
    const model = modelOf7(script);
    const agent = new seven.ToolLoopAgent<{ userId: string }>({
      model,
      instructions: "You cook.",
      prepareCall: ({ options, ...settings }) => ({ ...settings, ...memoryOf(options.userId) }),
    });
    return askForEach(agent, model.doGenerateCalls, userIds);
  },
};

export const aiSdks: [version: number, sdk: AiSdk][] = [
  [6, sdk6],
  [7, sdk7],
];
