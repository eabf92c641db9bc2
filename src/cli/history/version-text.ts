import type { MemoryActor } from "../../core/values/actor.js";
import type { MemoryVersion } from "../../core/history/history.js";
import { bytesText } from "../terminal/format.js";
import type { Output } from "../terminal/output.js";

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

/** All that is known of who made a version, first who it was: `user ada, run 7`. */
export function actorText(actor: MemoryActor | null): string {
  const facts = factsOf(actor);
  return facts.length === 0 ? "unknown" : facts.join(", ");
}

/** The first of those. */
export function actorName(actor: MemoryActor | null): string {
  return factsOf(actor)[0] ?? "unknown";
}

function factsOf(actor: MemoryActor | null): string[] {
  return labels.flatMap(([field, label]) => (actor?.[field] === undefined ? [] : [`${label} ${actor[field]}`]));
}

export function versionLine(version: MemoryVersion, out: Output): string {
  const { id, at, actor } = version;
  return `${out.style("yellow", id.padEnd(5))}  ${at.toISOString()}  ${changeText(version, out)}  ${out.style("dim", out.foreign(actorText(actor)))}`;
}

/** What a version did to its file. */
export function changeText({ operation, path, from, sizeBytes, redactedAt }: MemoryVersion, out: Output): string {
  const shownPath =
    redactedAt === undefined
      ? out.foreign(from === undefined ? path : `${from} -> ${path}`)
      : out.style("red", "(redacted)");
  const size = sizeBytes === null ? "" : `  ${out.style("dim", `(${bytesText(sizeBytes)})`)}`;
  return `${operation.padEnd(8)}  ${shownPath}${size}`;
}
