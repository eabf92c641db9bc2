import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

/** The part of a request that decides the answer. */
interface ModelRequest {
  /** Of a completion. */
  messages?: { role: string; content: unknown }[];
  /** Of a response, for which a program asks by a name such as "openai:gpt-4.1-mini". */
  input?: { role: string; content: unknown }[];
  tools?: unknown[];
  response_format?: unknown;
}

export interface OpenAiStandIn {
  /** The environment variables that direct OpenAI's client to this server. */
  env: { OPENAI_API_KEY: string; OPENAI_BASE_URL: string };
  close: () => Promise<void>;
}

export interface StandInAnswers {
  text: string;
  /** The arguments of a call of the tool `memory`, if there are tools. It comes before the text, once in a conversation. */
  call?: Record<string, string>;
  /** What the model answers if a message shows a text. */
  known?: { shown: string; text: string };
  /** What the model answers to `learn`, the only one that asks for a schema. @default none */
  operations?: readonly object[];
}

/** Replaces OpenAI's server. */
export async function openAiStandIn({
  text,
  call: args,
  known,
  operations = [],
}: StandInAnswers): Promise<OpenAiStandIn> {
  const server = createServer((request, response) => {
    const answer = async (): Promise<void> => {
      const {
        input,
        messages = input ?? [],
        tools = [],
        response_format: format,
      } = (await json(request)) as ModelRequest;
      const isCalled = messages.some(({ role }) => role === "tool");
      const isShown = messages.some(
        ({ content }) => known !== undefined && JSON.stringify(content).includes(known.shown),
      );
      const usual = args === undefined || isCalled || tools.length === 0 ? text : undefined;
      const free = isShown ? known?.text : usual;
      const said = format === undefined ? free : JSON.stringify({ operations });
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
      const output = {
        type: "message",
        role: "assistant",
        content: [{ type: "output_text", text: said, annotations: [] }],
      };
      const answered =
        input === undefined ? { choices: [choice] } : { object: "response", status: "completed", output: [output] };
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ id: randomUUID(), created: 1, model: "stand-in", ...answered }));
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
