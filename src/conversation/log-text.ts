import { logRoles, toLogLines } from "../core/search/log-lines.js";
import type { LogEntry } from "./entries.js";

/*
 * The text of a thread's day. Each run adds a heading with its time, and its messages:
 *
 *     ## 09:05
 *     User: Is the window seat free?
 *     User: I mean the one at the back.
 *     ^bcdefghi
 *     Assistant: It is.
 *     ^cdefghij
 *
 * The line below a message has its mark. So the text itself says which messages it has. No text of a message begins a
 * line.
 */

/**
 * Returns the entries that the log does not have: those after the last one that it has, and those of the last turn.
 * Null if it has none of the entries. Reason: an agent that another one has called may log its answer first.
 * @param since as in `takeLastTurn`
 */
export function findNewEntries(
  entries: readonly LogEntry[],
  marks: ReadonlySet<string>,
  since: string | null,
): LogEntry[] | null {
  const last = entries.findLastIndex(({ mark }) => marks.has(mark));
  if (last === -1) return null;
  const turn = takeLastTurn(entries, since);
  return entries.slice(Math.min(last + 1, entries.length - turn.length)).filter(({ mark }) => !marks.has(mark));
}

/**
 * Returns the last messages of the user, and the answers to them. @param since the mark of an earlier entry to begin with
 */
export function takeLastTurn(entries: readonly LogEntry[], since: string | null): LogEntry[] {
  const first = entries.findIndex(({ mark }) => mark === since);
  if (first !== -1) return entries.slice(first);
  const user = Math.max(
    entries.findLastIndex(({ role }) => role === "user"),
    0,
  );
  return entries.slice(entries.slice(0, user).findLastIndex(({ role }) => role !== "user") + 1);
}

/** An entry with the text that a guard allows. Null: refused. */
export type GuardedEntry = Omit<LogEntry, "text"> & { text: string | null };

/**
 * Adds the messages of a run to a text. Of a message without a text only the mark is kept.
 * @param time null for messages that an earlier file has
 */
export function addMessages(text: string, time: string | null, entries: readonly GuardedEntry[]): string {
  // Below a blank line, a mark does not count as one of a message that a guard has refused.
  const blank = time === null && text !== "" ? [""] : [];
  const lines = entries.flatMap(({ role, speaker, text: said, mark }) => [
    ...(said === null ? blank : toLogLines(said, speaker, logRoles[role])),
    `^${mark}`,
  ]);
  const heading = time === null ? [] : [`## ${time}`];
  return `${text}${text === "" || text.endsWith("\n") ? "" : "\n"}${[...heading, ...lines].join("\n")}\n`;
}
