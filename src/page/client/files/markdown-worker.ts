import { Lexer } from "marked";

// A worker, because the page can end it: some texts take the parser half a minute. The types describe a window.
addEventListener("message", ({ data }: MessageEvent<string>) => {
  postMessage(parseTokens(data));
});

/** Returns null for a text that is nested too deeply. */
function parseTokens(text: string): unknown {
  try {
    return Lexer.lex(text.replace(/^\uFEFF?---[ \t]*\r?\n([^]*?)\r?\n---[ \t]*(?=\r?\n|$)/, "```yaml\n$1\n```"), {
      gfm: true,
      // Each note that an agent appends is a line.
      breaks: true,
    });
  } catch {
    return null;
  }
}
