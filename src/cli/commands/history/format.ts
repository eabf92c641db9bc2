import type { MemoryVersion } from "../../../core/history/history.js";
import type { MemoryActor, VersionOrigin } from "../../../core/values/actor.js";
import { numberText } from "../../../core/display/count-text.js";
import type { Output } from "../../terminal/output.js";

/** The labels of the facts, with the most useful fact first. */
const labels = [
  ["userId", "user"],
  ["agent", "agent"],
  ["client", "client"],
  ["node", "node"],
  ["runId", "run"],
  ["toolCallId", "tool call"],
  ["threadId", "thread"],
  ["checkpointId", "checkpoint"],
] as const satisfies readonly (readonly [keyof MemoryActor, string])[];

/** Formats all known facts about who made a version: `user ada, run 7`. */
export function formatActor(actor: MemoryActor | null): string {
  return listFacts(actor).join(", ");
}

/** Formats who made a version, and what its text rests on. @param maxFacts how many facts about the author are named */
export function formatAuthor(version: MemoryVersion, maxFacts?: number): string {
  const author = listFacts(version.actor).slice(0, maxFacts).join(", ");
  return [author, formatOrigin(version)].filter((fact) => fact !== "").join("; ");
}

function listFacts(actor: MemoryActor | null): string[] {
  const known = labels.filter(([field]) => actor?.[field] !== undefined);
  return known.length === 0 ? ["unknown"] : known.map(([field, label]) => `${label} ${actor?.[field]}`);
}

const maxSources = 5;

/** Formats what a text rests on. "" if it names no sources. */
export function formatOrigin({ sources = [], trust = "unknown" }: Partial<VersionOrigin>): string {
  if (sources.length === 0) return "";
  const more = sources.length > maxSources ? ` and ${sources.length - maxSources} more` : "";
  return `rests on ${sources.slice(0, maxSources).join(", ")}${more} (trust: ${trust})`;
}

export function formatVersion(version: MemoryVersion, out: Output): string {
  const { id, at } = version;
  const shownFacts = out.style("dim", out.foreign(formatAuthor(version)));
  return `${out.style("yellow", id.padEnd(5))}  ${at.toISOString()}  ${formatChange(version, out)}  ${shownFacts}`;
}

/** Formats what a version did to its file. */
export function formatChange({ operation, path, from, sizeBytes }: MemoryVersion, out: Output): string {
  const paths = from === undefined ? path : `${from} -> ${path}`;
  const shownPath = path !== "" ? out.foreign(paths) : out.style("red", "(redacted)");
  const size = sizeBytes === null ? "" : `  ${out.style("dim", `(${numberText(sizeBytes)})`)}`;
  return `${operation.padEnd(8)}  ${shownPath}${size}`;
}

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
