import type { BaseMessage } from "@langchain/core/messages";
import { hashSha256 } from "../core/values/sha256.js";
import { logRoles, shortenMessage } from "../core/search/log-lines.js";
import { shorten } from "../core/values/text.js";
import { getOriginal } from "../prompt/user-turn.js";
import { getField, isRecord } from "../core/values/unknown-values.js";

/** A message as the log keeps it. */
export interface LogEntry {
  role: "user" | "assistant";
  /** The role, and the name of the message if it has one. */
  speaker: string;
  text: string;
  /** Identifies the message and its text in its thread. A message whose text was edited is another one. */
  mark: string;
}

const maxNameChars = 64;

/** Returns the messages of user and assistant that have a text, each once, without the additions of a connector. */
export function toLogEntries(messages: readonly BaseMessage[], threadId: string | undefined): LogEntry[] {
  const entries = messages.flatMap((given, place) => {
    const message = getOriginal(given);
    const role = message && getRole(message);
    const text = role ? shortenMessage(getSaid(message, role).toWellFormed()) : "";
    if (!role || text === "") return [];
    const name = isDefaultName(message) ? "" : toName(message.name ?? "");
    // Programs and databases also have "" and null where there is no id.
    const identity = message.id ? [message.id, text] : [role, text, place];
    const mark = createMark(JSON.stringify([threadId ?? null, ...identity]));
    return [{ role, speaker: `${logRoles[role]} ${name}`.trimEnd(), text, mark }];
  });
  return [...new Map(entries.map((entry) => [entry.mark, entry])).values()];
}

/** `createAgent` calls every answer "model", unless the agent has a name. */
function isDefaultName({ type, name }: BaseMessage): boolean {
  return name === undefined || (type === "ai" && name === "model");
}

/** Letters only, so that no guard takes a mark for the number of a card or a telephone. */
export function createMark(identity: string): string {
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

/** Returns what a message says: no thoughts, and attachments and data by their kinds. */
export function getSaid({ content }: BaseMessage, role: LogEntry["role"]): string {
  const parts: readonly unknown[] = typeof content === "string" ? [content] : content;
  const text = parts.map(describePart).filter(Boolean).join("\n");
  return nameData(role === "assistant" ? removeThoughts(text) : text);
}

/**
 * Some models write what they think into the text. A thought without an end is the start of an answer that was cut. One
 * without a start began in the prompt, and ends at the end of a line.
 */
function removeThoughts(text: string): string {
  let kept = "";
  let [{ length: at }] = begunThought.exec(text) ?? [""];
  for (;;) {
    const start = text.indexOf("<think>", at);
    if (start === -1) return kept + text.slice(at);
    kept += text.slice(at, start);
    const end = text.indexOf("</think>", start);
    if (end === -1) return kept;
    at = end + "</think>".length;
  }
}

const begunThought = /^(?:(?!<think>)[\s\S])*?<\/think>(?=[ \t]*(?:\r?\n|$))/;

/** Replaces the data in a text by its kind. */
function nameData(text: string): string {
  return text.replaceAll(
    dataUrl,
    (_, ofBase64?: string, ofText?: string) => `[${findKind((ofBase64 ?? ofText ?? "").toLowerCase()) ?? "file"}]`,
  );
}

const mediaTypeOfUrl = String.raw`([\w.+-]{1,100}/[\w.+-]{1,100})`;
const parametersOfUrl = String.raw`(?:;[^,;\s"'<>()]{0,300}){0,10}`;
/** Encoders of mail begin a line after some 76 characters. */
const base64 = String.raw`[\w+/=%-]*(?:\r?\n(?:[\w+/]{40,}={0,2}|[\w+/]+={1,2})(?!\S))*`;
/** In Markdown, a bracket without a partner is behind the address. */
const urlText = String.raw`(?:[^\s"<>\x60()[\]]|\([^\s"<>\x60()]*\))*`;
const dataUrl = new RegExp(
  `(?<!\\w)data:(?:${mediaTypeOfUrl}?${parametersOfUrl};base64,${base64}|${mediaTypeOfUrl}${parametersOfUrl},${urlText})`,
  "gi",
);

/** The kinds of attachments, and the type or media type by which a part of a message is one. */
const attachments = [
  ["image", /image/],
  ["audio", /audio/],
  ["video", /video/],
  ["file", /file|document|media|text-plain|application/],
] as const;

function findKind(type: string): string | undefined {
  return attachments.find(([, pattern]) => pattern.test(type))?.[0];
}

/** Texts are kept, attachments are named, and everything else, such as calls of tools, is left out. */
function describePart(part: unknown): string {
  if (typeof part === "string") return part;
  if (getField(part, "thought") === true) return "";
  const [type, text] = [getField(part, "type"), getField(part, "text")];
  if (typeof type !== "string") return "";
  if (/^(?:input_|output_)?text$/.test(type)) return typeof text === "string" ? text : "";
  const data = getField(part, "inlineData");
  const mediaType =
    getField(part, "mime_type") ??
    getField(part, "mimeType") ??
    getField(part, "mediaType") ??
    getField(data, "mimeType");
  const kind = findKind(type) ?? (isRecord(data) ? "file" : undefined);
  if (kind === undefined) return "";
  const name = findFileName(part);
  const shown = kind === "file" && typeof mediaType === "string" ? (findKind(mediaType) ?? kind) : kind;
  return name === "" ? `[${shown}]` : `[${shown} ${name}]`;
}

/** Each provider has its own place for the name of a file. */
function findFileName(part: unknown): string {
  const places = [part, getField(part, "metadata"), getField(part, "file")].filter(isRecord);
  const names = places.flatMap((place) => [place["filename"], place["name"], place["title"]]);
  const name = names.find((each) => typeof each === "string");
  return typeof name === "string" ? toName(name) : "";
}
