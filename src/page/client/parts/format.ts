import type { Address, Actor, ShownMount } from "../data/types.js";

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const moment = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });
const day = new Intl.DateTimeFormat("en-GB", { weekday: "long", day: "numeric", month: "long", year: "numeric" });
const clock = new Intl.DateTimeFormat("en-GB", { timeStyle: "short" });

/** Formats a size: `1.2 kB`. Units are powers of 1000, as in the limits of a memory. */
export function bytesText(sizeBytes: number): string {
  if (sizeBytes < 1000) return `${sizeBytes} B`;
  const [unit, size] = sizeBytes < 1_000_000 ? ["kB", sizeBytes / 1000] : ["MB", sizeBytes / 1_000_000];
  return `${size < 10 ? size.toFixed(1) : Math.round(size)} ${unit}`;
}

const steps: [unit: Intl.RelativeTimeFormatUnit, ms: number][] = [
  ["year", 31_557_600_000],
  ["month", 2_629_800_000],
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
];

export function agoText(time: string): string {
  const ms = Date.parse(time) - Date.now();
  const step = steps.find(([, size]) => Math.abs(ms) >= size);
  return step === undefined ? "just now" : relative.format(Math.trunc(ms / step[1]), step[0]);
}

export const momentText = (time: string): string => moment.format(new Date(time));
export const dayText = (time: string): string => day.format(new Date(time));
export const clockText = (time: string): string => clock.format(new Date(time));

/** Returns the thread or the user of a memory, or null for a global memory. */
export function ownerText({ threadId, userId }: Address): string | null {
  return threadId ?? userId ?? null;
}

export const scopeWords = { global: "shared", perThread: "thread", perUser: "user" } as const satisfies Record<
  Address["scope"],
  string
>;

/** Names for the access of an agent to a mounted memory. */
export const accessWords = {
  read: "read-only",
  append: "append-only",
  write: "writable",
  ask: "asks a person",
} as const satisfies Record<ShownMount["access"], string>;

/** Names the author of a change briefly: an agent, or the person who used a program. */
export function actorText(actor: Actor | null): string {
  if (actor === null) return "unknown";
  const { agent, userId, client, threadId, runId } = actor;
  return agent ?? getOwnNode(actor) ?? userId ?? client ?? threadId ?? runId ?? "unknown";
}

/** The node of the graph, unless it is the one that LangChain gives every agent for its tools. */
export function getOwnNode({ node }: Actor): string | undefined {
  return node === "tools" ? undefined : node;
}

export const operationMarks = { created: "added", modified: "changed", deleted: "deleted", renamed: "moved" } as const;
