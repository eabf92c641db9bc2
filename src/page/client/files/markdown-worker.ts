import { Lexer } from "marked";

// Beside the page, which can end it: some texts take the parser half a minute. The types take it for a window.
addEventListener("message", ({ data }: MessageEvent<string>) => {
  postMessage(parseTokens(data));
});

/** Null for a text that is nested too deeply. */
function parseTokens(text: string): unknown {
  try {
    return Lexer.lex(text.replace(/^---[ \t]*\r?\n([^]*?)\r?\n---[ \t]*(?=\r?\n|$)/, "```yaml\n$1\n```"), {
      gfm: true,
    });
  } catch {
    return null;
  }
}
