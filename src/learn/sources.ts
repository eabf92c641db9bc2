import type { BaseMessage } from "@langchain/core/messages";
import { getRole, getSaid } from "../conversation/entries.js";
import type { VersionChange } from "../core/history/history-backend.js";
import { removeLogMarks } from "../core/search/log-lines.js";
import { getLocalTime } from "../core/settings/time-zone.js";
import { type MemoryActor, mcpClientPrefix } from "../core/values/actor.js";
import { countShared } from "../core/values/shared-ends.js";
import { createFactsId } from "../core/values/sha256.js";
import { takeStart } from "../core/values/text.js";

/** The trust in a text, lowest first. The program decides by what it knows of the author. */
const trustLevels = ["unknown", "agent", "person"] as const;

type Trust = (typeof trustLevels)[number];

/** A new text and its origin. The program knows the origin; no text can claim it. */
export interface Source {
  /** `version:` or `message:` and an id. */
  id: string;
  /** The place and the time of the text, in words for the model. */
  place: string;
  text: string;
  trust: Trust;
  /** Whether somebody asks an agent by it. */
  asks: boolean;
}

/** Learnt notes name this client as their author. `learn` does not read them. */
export const learnClient = "learn";

export function getLowestTrust(sources: readonly Source[]): Trust {
  return trustLevels.find((level) => sources.some(({ trust }) => trust === level)) ?? "unknown";
}

/**
 * Reads what user and assistant have said, as the log does, without memory that a connector showed.
 * Messages have no time of their own, so the model gets the present one.
 * @param isOrder whether another agent asks, and no person
 */
export function readMessages(messages: readonly BaseMessage[], timeZone: string, isOrder = false): Source[] {
  const now = formatTime(new Date(), timeZone);
  return messages.flatMap((message, index): Source[] => {
    const role = getRole(message);
    if (role === null) return [];
    const text = withoutShownMemory(getSaid(message, role)).trim();
    if (text === "") return [];
    // Programs and databases also have "" and null where there is no id.
    const id = message.id ? message.id : createFactsId([role, index, text]);
    const asks = role === "user";
    const speaker = asks && isOrder ? "another agent" : `the ${role}`;
    const trust = asks && !isOrder ? "person" : "agent";
    return [{ id: `message:${id}`, place: `said by ${speaker} at ${now} or before`, text, trust, asks }];
  });
}

const fence = { start: "<memory scope=", end: "</memory>" } as const;

/** Removes memory that a connector showed. A fence without an end is not from a connector, so its text stays. */
function withoutShownMemory(text: string): string {
  const kept: string[] = [];
  let position = 0;
  for (let start = text.indexOf(fence.start); start !== -1; start = text.indexOf(fence.start, position)) {
    const end = text.indexOf(fence.end, start);
    if (end === -1) break;
    kept.push(text.slice(position, start));
    position = end + fence.end.length;
  }
  return [...kept, text.slice(position)].join("");
}

/** Whether a run of `learn` wrote or proposed a version. */
export function isLearnt(actor: MemoryActor | null): boolean {
  return actor?.client === learnClient || actor?.runId?.startsWith(`${learnClient}-`) === true;
}

/** Returns the text that a version added to its file, without the marks of a log. Null if it added no text. */
export function readVersion({ id, path, at, actor, content, before }: VersionChange, timeZone: string): Source | null {
  if (content === null) return null;
  const text = removeLogMarks(getAddedText(before ?? "", content)).trim();
  if (text === "") return null;
  const place = `written to ${path} at ${formatTime(at, timeZone)}`;
  return { id: `version:${id}`, place, text, trust: getTrust(actor), asks: false };
}

/** Formats a time as the log does, because "tomorrow" is another day in another zone. */
function formatTime(at: Date, timeZone: string): string {
  const { day, time } = getLocalTime(at, timeZone);
  return `${day} ${time} (${timeZone})`;
}

/**
 * Returns the text that a change added: the new end, or else the lines between the first and the last change, without
 * those that were there before. So an answer in a log is new, even if its words are elsewhere in the log.
 */
export function getAddedText(before: string, after: string): string {
  if (after.startsWith(before)) return after.slice(before.length);
  const [old, lines] = [before.split("\n"), after.split("\n")];
  const { start, end } = countShared(old, lines);
  const known = new Set(old.slice(start, old.length - end));
  return lines
    .slice(start, lines.length - end)
    .filter((line) => !known.has(line))
    .join("\n");
}

function getTrust(actor: MemoryActor | null): Trust {
  if (actor === null) return "unknown";
  const { userId, client } = actor;
  const isOfRun = [actor.toolCallId, actor.agent, actor.node, actor.runId].some((id) => id !== undefined);
  if (isOfRun || client?.startsWith(mcpClientPrefix) === true) return "agent";
  // A program names itself where a person writes. Without a client, the user may be only the one whom a model serves.
  return userId === undefined || client === undefined ? "unknown" : "person";
}

/** Returns the first sources that fit. Each is cut at a quarter of `maxChars`. */
export function takeSources(sources: readonly Source[], maxChars: number): Source[] {
  let left = maxChars;
  const taken: Source[] = [];
  for (const source of sources) {
    const text = takeStart(source.text, Math.ceil(maxChars / 4));
    if (text.length > left && taken.length > 0) break;
    taken.push({ ...source, text });
    left -= text.length;
  }
  return taken;
}
