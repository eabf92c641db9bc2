import type { ClaudeRequest } from "./scripted-claude.js";

/** A `fetch` that prints what goes over the wire, as `clientOptions` of ChatAnthropic takes it, over another one. */
export function printing(send: typeof fetch): typeof fetch {
  return async (url, init) => {
    print((await new Request(url, init).json()) as ClaudeRequest);
    return send(url, init);
  };
}

/** What is new in a request: the tools and the question, or a call of Claude's and its result. */
function print({ tools, messages }: ClaudeRequest): void {
  if (messages.length === 1) console.log(`  To Claude: tools ${JSON.stringify(tools)}`);
  for (const { role, content } of messages.slice(-2)) {
    const blocks = typeof content === "string" ? [content] : content;
    for (const block of blocks)
      console.log(`  ${role === "user" ? "To Claude" : "From Claude"}: ${JSON.stringify(block)}`);
  }
}
