import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

/** The part of a request for a completion that decides the answer. */
interface CompletionRequest {
  messages: { role: string; content: unknown }[];
}

export interface OpenAiStandIn {
  /** The environment variables that direct OpenAI's client to this server. */
  env: { OPENAI_API_KEY: string; OPENAI_BASE_URL: string };
  close: () => Promise<void>;
}

/**
 * Replaces OpenAI's server. Its model calls the tool `memory` once in a conversation, with these arguments, and
 * otherwise answers with the text.
 *
 * @param known the answer without a call, where the prompt already shows what the call would store
 */
export async function openAiStandIn(
  args: Record<string, string>,
  text: string,
  known?: string,
): Promise<OpenAiStandIn> {
  const server = createServer((request, response) => {
    const answer = async (): Promise<void> => {
      const { messages } = (await json(request)) as CompletionRequest;
      const isCalled = messages.some(({ role }) => role === "tool");
      const isShown = messages.some(
        ({ role, content }) => role === "system" && JSON.stringify(content).includes(args["content"] ?? ""),
      );
      const said = isCalled ? text : isShown ? known : undefined;
      const call = {
        id: randomUUID(),
        type: "function",
        function: { name: "memory", arguments: JSON.stringify(args) },
      };
      const message = {
        role: "assistant",
        ...(said === undefined ? { content: null, tool_calls: [call] } : { content: said }),
      };
      const choice = { index: 0, message, finish_reason: said === undefined ? "tool_calls" : "stop" };
      response.setHeader("content-type", "application/json");
      response.end(
        JSON.stringify({
          id: randomUUID(),
          object: "chat.completion",
          created: 1,
          model: "stand-in",
          choices: [choice],
        }),
      );
    };
    void answer();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    env: { OPENAI_API_KEY: "no real key", OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1` },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
