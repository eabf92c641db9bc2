import { ChatAnthropic } from "@langchain/anthropic";
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { ChatGoogleGenerativeAI } from "@langchain/google-genai";
import { ChatOpenAI } from "@langchain/openai";
import type { Json, RecordingServer } from "./recording-server.js";

export type MakeClient = (server: RecordingServer) => BaseChatModel;

const openAI = { apiKey: "key", model: "gpt-4o", maxRetries: 0 };

/** Keeps OpenAI's address in the client, and sends its requests to the server instead. */
export function redirectedTo(server: RecordingServer): { fetch: typeof fetch } {
  return {
    fetch: (input, init) => {
      const { origin, pathname } = new URL(input instanceof Request ? input.url : input);
      if (origin !== "https://api.openai.com") throw new Error(`not OpenAI's address: ${origin}`);
      return fetch(server.url + pathname, init);
    },
  };
}

export const clients = {
  "ChatOpenAI, chat completions": (server) => new ChatOpenAI({ ...openAI, configuration: redirectedTo(server) }),
  "ChatOpenAI, responses": (server) =>
    new ChatOpenAI({ ...openAI, useResponsesApi: true, configuration: redirectedTo(server) }),
  "ChatOpenAI with a base URL": (server) =>
    new ChatOpenAI({ ...openAI, configuration: { baseURL: `${server.url}/v1` } }),
  "ChatOpenAI with a base URL, responses": (server) =>
    new ChatOpenAI({ ...openAI, useResponsesApi: true, configuration: { baseURL: `${server.url}/v1` } }),
  ChatAnthropic: (server) =>
    new ChatAnthropic({ apiKey: "key", model: "claude-sonnet-4-5", maxRetries: 0, anthropicApiUrl: server.url }),
  ChatGoogleGenerativeAI: (server) =>
    new ChatGoogleGenerativeAI({ apiKey: "key", model: "gemini-2.5-flash", maxRetries: 0, baseUrl: server.url }),
} satisfies Record<string, MakeClient>;

export type ClientName = keyof typeof clients;

/** A turn that a model reads in a request, in order and independent of the provider. */
export interface Turn {
  role: string;
  /** One text for each block. */
  texts: string[];
}

/** Fails at an empty block or a block that is not a text. */
export function turnsOf(request: Json): Turn[] {
  const instruction = request["systemInstruction"] as { parts: unknown[] } | undefined;
  const system = request["system"] ?? instruction?.parts;
  const turns = (request["messages"] ?? request["input"] ?? request["contents"]) as Json[];
  return [
    ...(system === undefined ? [] : [{ role: "system", texts: textsOf(system) }]),
    ...turns.map((turn) => ({ role: String(turn["role"]), texts: textsOf(turn["content"] ?? turn["parts"]) })),
  ];
}

function textsOf(content: unknown): string[] {
  const blocks: unknown[] = Array.isArray(content) ? content : [content];
  return blocks.map((block) => {
    const text = typeof block === "object" && block !== null && "text" in block ? block.text : block;
    if (typeof text !== "string" || text === "") throw new Error(`not a text: ${JSON.stringify(block)}`);
    return text;
  });
}

/**
 * Formats the turns of a request as `system "S" "
 *
 * M" | user "u"`, with `M` for the text of the memory.
 */
export function inBrief(request: Json, memory: string): string {
  return turnsOf(request)
    .map(({ role, texts }) => [role, ...texts.map((text) => JSON.stringify(text.replaceAll(memory, "M")))].join(" "))
    .join(" | ");
}
