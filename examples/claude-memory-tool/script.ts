/** Of a request to Claude, what this example looks at. */
export interface ClaudeRequest {
  tools: unknown[];
  messages: { role: string; content: string | ({ type: string } & Record<string, unknown>)[] }[];
}

type Answer = { type: "text"; text: string } | { type: "tool_use"; id: string; name: "memory"; input: Record<string, unknown> };

const path = "/memories/staging.md";

/** What Claude does with this tool: it looks into its memory first, then reads or writes. */
export function script({ messages }: ClaudeRequest): Answer {
  const call = (input: Record<string, unknown>): Answer => ({ type: "tool_use", id: `toolu_${messages.length}`, name: "memory", input });
  const isQuestion = JSON.stringify(messages[0]).includes("?");
  if (messages.length === 1) return call({ command: "view", path: "/memories" });
  if (messages.length === 3) return call(isQuestion ? { command: "view", path } : { command: "create", path, file_text: "Port: 8443\n" });
  const [, port] = /Port: (\d+)/.exec(JSON.stringify(messages.at(-1))) ?? [];
  return { type: "text", text: isQuestion ? `Staging listens on port ${port}.` : "I have noted it." };
}
