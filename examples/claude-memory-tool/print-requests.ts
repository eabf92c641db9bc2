import type { ClaudeRequest } from "./scripted-claude.js";

/**
 * Returns a `fetch` for `clientOptions` of ChatAnthropic. It prints the requests and sends them with another `fetch`.
 */
export function printing(send: typeof fetch): typeof fetch {
  return async (url, init) => {
    print((await new Request(url, init).json()) as ClaudeRequest);
    return send(url, init);
  };
}

/** Prints the new part of a request: the tools and the question, or Claude's tool call and its result. */
function print({ tools, messages }: ClaudeRequest): void {
  if (messages.length === 1) console.log(`  To Claude: tools ${JSON.stringify(tools)}`);
  for (const { role, content } of messages.slice(-2)) {
    const blocks = typeof content === "string" ? [content] : content;
    for (const block of blocks)
      console.log(`  ${role === "user" ? "To Claude" : "From Claude"}: ${JSON.stringify(block)}`);
  }
}
