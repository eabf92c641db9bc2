import { getField, isRecord, toRecord } from "../../core/values/unknown-values.js";
import type { MoveInConversation, MoveInFormat, MoveInMessage, MoveInNote } from "../item.js";
import { toDate } from "../names.js";
import { describeLosses, readExport } from "../read/export-files.js";

/**
 * The export of ChatGPT: the unpacked folder, or its `conversations.json`. For each conversation, the branch that was
 * shown last goes into the log. The export has no saved memories.
 */
export const chatgptExport: MoveInFormat = {
  version: "ChatGPT, November 2026",
  takes: ["file", "folder"],
  async *read(source) {
    for await (const record of readExport(source, "it is not a conversation"))
      yield "why" in record ? record : toConversation(toRecord(record.value), record.what);
  },
};

function toConversation(record: Record<string, unknown>, place: string): MoveInConversation | MoveInNote {
  const { mapping, current_node: last } = record;
  const id = record["conversation_id"] ?? record["id"];
  if (!isRecord(mapping) || typeof id !== "string" || typeof last !== "string" || !Object.hasOwn(mapping, last))
    return { what: place, why: "it is not a conversation" };
  const branch = listBranch(mapping, last);
  const said = branch.filter(isSpoken).length;
  const spoken = Object.values(mapping).filter((node) => isSpoken(getField(node, "message"))).length;
  const losses = {
    "messages of other branches": spoken - said,
    "messages of tools and settings": branch.length - said,
    "messages without a time": 0,
    "pictures and files": 0,
  };
  const messages: MoveInMessage[] = [];
  let at = toDate(record["create_time"]);
  for (const message of branch) {
    at = toDate(message["create_time"]) ?? at;
    if (!isSpoken(message)) continue;
    if (at === undefined) {
      losses["messages without a time"] += 1;
      continue;
    }
    const { text, attachments } = readContent(message);
    losses["pictures and files"] += attachments;
    const role = getRole(message) === "user" ? "user" : "assistant";
    messages.push({ id: String(message["id"]), role, text, at });
  }
  return { threadId: id, messages, what: `conversation ${id}`, shortened: describeLosses(losses) };
}

/** Lists the messages from the first to the last one that was shown. Each message names the one before. */
function listBranch(mapping: Record<string, unknown>, last: string): Record<string, unknown>[] {
  const messages: Record<string, unknown>[] = [];
  const known = new Set<string>();
  for (let id: unknown = last; typeof id === "string" && Object.hasOwn(mapping, id) && !known.has(id);) {
    known.add(id);
    const node = mapping[id];
    const message = getField(node, "message");
    if (isRecord(message)) messages.push(message);
    id = getField(node, "parent");
  }
  return messages.toReversed();
}

const getRole = (message: unknown): unknown => getField(getField(message, "author"), "role");

/** Whether a user or ChatGPT has said it to the other, not to a tool. */
function isSpoken(message: unknown): boolean {
  const type = getField(getField(message, "content"), "content_type");
  const recipient = getField(message, "recipient") ?? "all";
  const isHidden = getField(getField(message, "metadata"), "is_visually_hidden_from_conversation") === true;
  const isText = type === "text" || type === "multimodal_text";
  return isText && !isHidden && recipient === "all" && ["user", "assistant"].includes(String(getRole(message)));
}

function readContent(message: Record<string, unknown>): { text: string; attachments: number } {
  const parts = getField(message["content"], "parts");
  const given: readonly unknown[] = Array.isArray(parts) ? parts : [];
  const texts = given.map(readPart);
  const attachments = texts.filter((text) => text === null).length;
  return { text: texts.map((text) => text ?? "[file]").join("\n"), attachments };
}

/** Returns the text of a part, also of what was spoken aloud. Null for a picture, a recording or a file. */
function readPart(part: unknown): string | null {
  const text = typeof part === "string" ? part : getField(part, "text");
  return typeof text === "string" ? text : null;
}
