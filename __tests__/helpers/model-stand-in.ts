interface ModelRequest {
  stream?: boolean;
  response_format?: unknown;
  input?: string | string[];
  dimensions?: number;
}

const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2, prompt_tokens: 1, completion_tokens: 1 };
const openAi = { id: "1", created: 1, model: "stand-in", usage };
const said = { role: "assistant", content: "done" };

/** Only `learn` asks for a schema. */
const nothingToLearn = { role: "assistant", content: '{"operations":[]}' };

/** Replaces `fetch`, and answers each request to a provider of models with the text "done", or with vectors. */
export async function modelStandIn(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const request = new Request(input, init);
  const body = (await request.json()) as ModelRequest;
  const { host, pathname } = new URL(request.url);
  const path = `${host}/${pathname.split("/").slice(2).join("/")}`;
  switch (path) {
    case "api.openai.com/chat/completions":
      return body.stream === true
        ? asEvents([{ ...openAi, choices: [{ index: 0, delta: said, finish_reason: "stop" }] }, "[DONE]"])
        : Response.json({ ...openAi, choices: [{ index: 0, message: answerOpenAi(body), finish_reason: "stop" }] });
    case "api.openai.com/responses":
      return Response.json({ ...openAi, object: "response", status: "completed", output: [saidInResponses] });
    case "api.openai.com/embeddings":
      return Response.json({ ...openAi, data: [body.input ?? []].flat().map((_, index) => vector(body, index)) });
    case "api.anthropic.com/messages":
      return Response.json({ ...said, type: "message", content: [text], stop_reason: "end_turn", usage });
    case "ai-gateway.vercel.sh/ai/language-model":
      return answerAiSdk(request.headers.get("ai-language-model-streaming") === "true");
    default:
      throw new Error(`there is no stand-in for ${request.url}`);
  }
}

const output = { type: "output_text", text: "done", annotations: [] };
const saidInResponses = { id: "1", type: "message", role: "assistant", status: "completed", content: [output] };

function answerOpenAi({ response_format: format }: ModelRequest): object {
  return format === undefined ? said : nothingToLearn;
}

const text = { type: "text", text: "done" };

/** In the form in which OpenAI's client asks for it. */
function vector({ dimensions = 1536 }: ModelRequest, index: number): { embedding: string; index: number } {
  return { embedding: Buffer.from(new Float32Array(dimensions).fill(1).buffer).toString("base64"), index };
}

function answerAiSdk(streams: boolean): Response {
  const tokens = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
  const end = { finishReason: { unified: "stop" }, usage: tokens };
  if (!streams) return Response.json({ content: [text], warnings: [], ...end });
  return asEvents([
    { type: "stream-start", warnings: [] },
    { type: "text-start", id: "1" },
    { type: "text-delta", id: "1", delta: text.text },
    { type: "text-end", id: "1" },
    { type: "finish", ...end },
  ]);
}

function asEvents(events: readonly (object | string)[]): Response {
  const lines = events.map((event) => `data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`);
  return new Response(lines.join(""), { headers: { "content-type": "text/event-stream" } });
}
