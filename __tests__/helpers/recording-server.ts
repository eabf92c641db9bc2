import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll } from "@jest/globals";

export type Json = Record<string, unknown>;

const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2, prompt_tokens: 1, completion_tokens: 1 };

/** The answer "done" of each provider, by its path. "ID" stands for the number of the request. */
const answers: [path: RegExp, answer: Json][] = [
  [
    /\/chat\/completions$/,
    {
      id: "ID",
      object: "chat.completion",
      created: 1,
      model: "m",
      choices: [{ index: 0, message: { role: "assistant", content: "done" }, finish_reason: "stop" }],
      usage,
    },
  ],
  [
    /\/responses$/,
    {
      id: "resp_ID",
      object: "response",
      created_at: 1,
      status: "completed",
      model: "m",
      output: [
        {
          type: "message",
          id: "msg_ID",
          status: "completed",
          role: "assistant",
          content: [{ type: "output_text", text: "done", annotations: [] }],
        },
      ],
      usage: { ...usage, input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 0 } },
    },
  ],
  [
    /\/messages$/,
    {
      id: "msg_ID",
      type: "message",
      role: "assistant",
      model: "m",
      content: [{ type: "text", text: "done" }],
      stop_reason: "end_turn",
      stop_sequence: null,
      usage,
    },
  ],
  [
    /\/api\/chat$/,
    {
      model: "m",
      created_at: "2026-01-15T10:00:00Z",
      message: { role: "assistant", content: "done" },
      done: true,
      done_reason: "stop",
    },
  ],
  [/\/converse$/, { output: { message: { role: "assistant", content: [{ text: "done" }] } }, stopReason: "end_turn" }],
  [
    /:generateContent$/,
    { candidates: [{ content: { role: "model", parts: [{ text: "done" }] }, finishReason: "STOP", index: 0 }] },
  ],
];

/** Reason: LangGraph replaces a message by another one with its id. */
function replaceId(answer: Json, id: number): Json {
  return JSON.parse(JSON.stringify(answer).replaceAll("ID", String(id))) as Json;
}

/** A server on this machine that plays every provider and keeps the requests. */
export class RecordingServer {
  /** The bodies of the requests, oldest first. */
  readonly requests: Json[] = [];
  /** Answers to the next requests instead of "done". */
  readonly upcoming: Json[] = [];
  readonly #server: Server;
  #count = 0;

  constructor() {
    this.#server = createServer((request, response) => {
      void this.#answer(request).then(({ status, body }) =>
        response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body)),
      );
    });
  }

  get url(): string {
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("the server is not listening");
    return `http://127.0.0.1:${address.port}`;
  }

  async start(): Promise<void> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  /** Returns the requests since the last call of this method. */
  take(): Json[] {
    return this.requests.splice(0);
  }

  async #answer(request: IncomingMessage): Promise<{ status: number; body: Json }> {
    this.requests.push(JSON.parse(await text(request)) as Json);
    const path = new URL(request.url ?? "/", "http://localhost").pathname;
    const [, done] = answers.find(([known]) => known.test(path)) ?? [];
    this.#count += 1;
    return done
      ? { status: 200, body: { ...replaceId(done, this.#count), ...this.upcoming.shift() } }
      : { status: 404, body: { error: { message: `unknown path ${path}` } } };
  }
}

/** Starts a server for the tests of one file. */
export function recordingServer(): RecordingServer {
  const server = new RecordingServer();
  beforeAll(() => server.start());
  afterAll(() => server.stop());
  return server;
}
