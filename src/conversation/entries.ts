import type { BaseMessage } from "@langchain/core/messages";
import { hashSha256 } from "../core/values/sha256.js";
import { shortenMessage } from "../core/search/log-parts.js";
import { shorten } from "../core/values/text.js";
import { getOriginal } from "../prompt/user-turn.js";
import { getField, isRecord } from "../core/values/unknown-values.js";

/** A message as the log keeps it. */
export interface LogEntry {
  role: "user" | "assistant";
  /** The role, and the name of the message if it has one. */
  speaker: string;
  text: string;
  /** Identifies the message in its thread. */
  mark: string;
}

const maxNameChars = 64;

/** Returns the messages of user and assistant that have a text, each once, without the additions of a connector. */
export function toLogEntries(messages: readonly BaseMessage[], threadId: string | undefined): LogEntry[] {
  const entries = messages.flatMap((given, place) => {
    const message = getOriginal(given);
    const role = message && getRole(message);
    const text = role ? getText(message) : "";
    if (!role || text === "") return [];
    const name = isDefaultName(message) ? "" : ` ${toName(message.name ?? "")}`;
    // Programs and databases also have "" and null where there is no id.
    const identity = message.id ? [message.id] : [role, text, place];
    const mark = createMark(JSON.stringify([threadId ?? null, ...identity]));
    return [{ role, speaker: `${role === "user" ? "User" : "Assistant"}${name}`, text, mark }];
  });
  return [...new Map(entries.map((entry) => [entry.mark, entry])).values()];
}

/** `createAgent` calls every answer "model", unless the agent has a name. */
function isDefaultName({ type, name }: BaseMessage): boolean {
  return name === undefined || (type === "ai" && name === "model");
}

/** Letters only, so that no guard takes a mark for the number of a card or a telephone. */
function createMark(identity: string): string {
  const bytes = hashSha256(identity).match(/../g) ?? [];
  return bytes
    .slice(0, 8)
    .reduce((mark, byte) => mark + "abcdefghijklmnopqrstuvwxyz"[Number.parseInt(byte, 16) % 26], "");
}

/** Makes a name fit into a heading. A program or a client can give one that is no text. */
export function toName(name: unknown): string {
  return shorten(
    String(name)
      .toWellFormed()
      .replaceAll(/[\s\p{C}^:]+/gu, " ")
      .trim(),
    maxNameChars,
  );
}

/** Returns who has said a message. Null if it is no message of a conversation. */
export function getRole(message: BaseMessage): LogEntry["role"] | null {
  // LangChain's middleware replaces old messages by a summary, which nobody has said.
  if (message.additional_kwargs?.["lc_source"] === "summarization") return null;
  if (message.type === "human") return "user";
  return message.type === "ai" ? "assistant" : null;
}

function getText({ content }: BaseMessage): string {
  const parts: readonly unknown[] = typeof content === "string" ? [content] : content;
  return shortenMessage(parts.map(describePart).filter(Boolean).join("\n").toWellFormed());
}

/** The kinds of attachments, and the type or media type by which a part of a message is one. */
const attachments = [
  ["image", /image/],
  ["audio", /audio/],
  ["video", /video/],
  ["file", /file|document|media|text-plain|application/],
] as const;

/** Texts are kept, attachments are named, and everything else, such as calls of tools, is left out. */
function describePart(part: unknown): string {
  if (typeof part === "string") return part;
  const [type, text] = [getField(part, "type"), getField(part, "text")];
  if (typeof type !== "string") return "";
  if (/^(?:input_|output_)?text$/.test(type)) return typeof text === "string" ? text : "";
  const kindOf = (value: string): string | undefined => attachments.find(([, pattern]) => pattern.test(value))?.[0];
  const mediaType = getField(part, "mime_type") ?? getField(part, "mimeType");
  const kind = kindOf(type);
  if (kind === undefined) return "";
  const name = findFileName(part);
  const shown = kind === "file" && typeof mediaType === "string" ? (kindOf(mediaType) ?? kind) : kind;
  return name === "" ? `[${shown}]` : `[${shown} ${name}]`;
}

/** Each provider has its own place for the name of a file. */
function findFileName(part: unknown): string {
  const places = [part, getField(part, "metadata"), getField(part, "file")].filter(isRecord);
  const names = places.flatMap((place) => [place["filename"], place["name"], place["title"]]);
  const name = names.find((each) => typeof each === "string");
  return typeof name === "string" ? toName(name) : "";
}
