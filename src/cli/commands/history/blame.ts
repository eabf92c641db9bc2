import type { BlamedLine } from "../../../core/history/history.js";
import { readOptions } from "../../targets/target-options.js";
import type { Output } from "../../terminal/output.js";
import { historyCommand } from "./history-command.js";
import { formatActorName } from "./version-text.js";

export const blame = historyCommand<{ path: string }>({
  usage: "blame <path>",
  description:
    "Show for each line of a file which version wrote it, when, and who made it. With --json, it prints an object " +
    "for each line.",
  examples: ["blame /notes/today --node assistant", "blame /notes/today --node assistant --json | grep eggs"],
  options: readOptions,
  access: "read",
  run: async ({ history }, { path, json }, { out }) => {
    const lines = await history.blame(path);
    if (json) for (const line of lines) await out.json(line);
    else for (const line of formatLines(lines, out)) await out.line(line);
    return undefined;
  },
});

function formatLines(lines: readonly BlamedLine[], out: Output): string[] {
  const names = lines.map(({ version, redacted }) => {
    if (version === null) return redacted === true ? "redacted" : "";
    return out.foreign(formatActorName(version.actor));
  });
  const nameWidth = getWidth(names);
  const idWidth = getWidth(lines.map(({ version }) => version?.id ?? "-"));
  const numberWidth = String(lines.length).length;
  return lines.map(({ line, text, version }, index) => {
    const id = out.style("yellow", (version?.id ?? "-").padEnd(idWidth));
    const time = (version?.at.toISOString() ?? "").padEnd(24);
    const name = out.style("dim", (names[index] ?? "").padEnd(nameWidth));
    const number = out.style("green", String(line).padStart(numberWidth));
    return `${id}  ${time}  ${name}  ${number}  ${out.foreign(text)}`;
  });
}

function getWidth(texts: readonly string[]): number {
  return texts.reduce((width, text) => Math.max(width, text.length), 0);
}
