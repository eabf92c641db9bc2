import type { Output } from "../../terminal/output.js";

/** Colours a unified diff of one file for a terminal. Elsewhere the diff stays unchanged. */
export function styleDiff(diff: string, out: Output): string {
  let isHeader = true;
  const lines = out
    .foreign(diff)
    .split("\n")
    .map((line) => {
      isHeader &&= !line.startsWith("@@");
      // A carriage return must stay right before the newline. Otherwise a terminal would overwrite the line.
      const text = line.replace(/\r$/, "");
      return styleLine(text, isHeader, out) + line.slice(text.length);
    });
  return lines.join("\n");
}

function styleLine(line: string, isHeader: boolean, out: Output): string {
  if (line === "") return line;
  if (isHeader) return out.style("bold", line);
  if (line.startsWith("@@")) return out.style("cyan", line);
  if (line.startsWith("+")) return out.style("green", line);
  return line.startsWith("-") ? out.style("red", line) : line;
}
