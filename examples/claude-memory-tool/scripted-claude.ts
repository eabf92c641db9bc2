/** The parts of a request to Claude that this example reads. */
export interface ClaudeRequest {
  tools: unknown[];
  messages: { role: string; content: string | ({ type: string } & Record<string, unknown>)[] }[];
}

type Block =
  | { type: "text"; text: string }
  | { type: "tool_use"; id: string; name: "memory"; input: Record<string, unknown> };

/** Replaces Claude's server if there is no key: a `fetch` that answers the requests of the real client. */
export const fetchScripted: typeof fetch = async (url, init) => {
  const block = answerTo((await new Request(url, init).json()) as ClaudeRequest);
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

const path = "/memories/staging.md";

/** Imitates Claude with this tool: it views its memory first, then reads or writes. */
function answerTo({ messages }: ClaudeRequest): Block {
  const call = (input: Record<string, unknown>): Block => ({
    type: "tool_use",
    id: `toolu_${messages.length}`,
    name: "memory",
    input,
  });
  const isQuestion = JSON.stringify(messages[0]).includes("?");
  if (messages.length === 1) return call({ command: "view", path: "/memories" });
  if (messages.length === 3)
    return call(isQuestion ? { command: "view", path } : { command: "create", path, file_text: "Port: 8443\n" });
  const [, port] = /Port: (\d+)/.exec(JSON.stringify(messages.at(-1))) ?? [];
  return { type: "text", text: isQuestion ? `Staging listens on port ${port}.` : "I have noted it." };
}
