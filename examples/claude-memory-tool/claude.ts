import { ChatAnthropic } from "@langchain/anthropic";
import { say } from "../shared/print.js";
import { type ClaudeRequest, script } from "./script.js";

export interface ChosenClaude {
  model: ChatAnthropic;
  /** For people. */
  name: string;
}

/**
 * ChatAnthropic, which prints what goes over the wire: `fetch` is Anthropic's own way to look at it. Where
 * `ANTHROPIC_API_KEY` is set Claude answers (`ANTHROPIC_MODEL` names it), otherwise a script of ours in its place.
 */
export function chooseClaude(): ChosenClaude {
  const { ANTHROPIC_API_KEY: apiKey, ANTHROPIC_MODEL: model = "claude-opus-4-8" } = process.env;
  const send = apiKey ? fetch : answerByScript;
  const printing: typeof fetch = async (url, init) => {
    print(await requestOf(url, init));
    return send(url, init);
  };
  return {
    model: new ChatAnthropic({ model, apiKey: apiKey ?? "none", clientOptions: { fetch: printing } }),
    name: apiKey ? `ChatAnthropic ${model}` : "ChatAnthropic, answered by a script (set ANTHROPIC_API_KEY for Claude)",
  };
}

/** What is new in a request: the tools and the question, or a call of Claude's and its result. */
function print({ tools, messages }: ClaudeRequest): void {
  if (messages.length === 1) say(`  To Claude: tools ${JSON.stringify(tools)}`);
  for (const { role, content } of messages.slice(-2)) {
    const blocks = typeof content === "string" ? [content] : content;
    for (const block of blocks) say(`  ${role === "user" ? "To Claude" : "From Claude"}: ${JSON.stringify(block)}`);
  }
}

const answerByScript: typeof fetch = async (url, init) => {
  const block = script(await requestOf(url, init));
  const answer = {
    id: `msg_${crypto.randomUUID()}`,
    type: "message",
    role: "assistant",
    model: "script",
    content: [block],
    stop_reason: block.type === "tool_use" ? "tool_use" : "end_turn",
    stop_sequence: null,
    usage: { input_tokens: 0, output_tokens: 0 },
  };
  return Response.json(answer);
};

async function requestOf(...sent: Parameters<typeof fetch>): Promise<ClaudeRequest> {
  return (await new Request(...sent).json()) as ClaudeRequest;
}
