import { Lexer } from "marked";

// A worker, because the page can end it: some texts take the parser half a minute. The types describe a window.
addEventListener("message", ({ data }: MessageEvent<string[]>) => {
  postMessage(parseAll(data));
});

/** Returns null if a text is nested too deeply. */
function parseAll(texts: readonly string[]): unknown[] | null {
  try {
    return texts.map(parseTokens);
  } catch {
    return null;
  }
}

function parseTokens(text: string): unknown {
  return Lexer.lex(text.replace(/^\uFEFF?---[ \t]*\r?\n([^]*?)\r?\n---[ \t]*(?=\r?\n|$)/, "```yaml\n$1\n```"), {
    gfm: true,
    // Each note that an agent appends is a line.
    breaks: true,
  });
}
