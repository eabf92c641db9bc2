import { getField, isRecord, toRecord } from "../../core/values/unknown-values.js";
import type { MoveInConversation, MoveInFormat, MoveInItem, MoveInMessage } from "../item.js";
import { toDate, toPath } from "../names.js";
import { describeLosses, readExport } from "../read/export-files.js";

/**
 * The export of claude.ai: the unpacked folder, or its `conversations.json`, `memories.json` or `projects.json`.
 * Conversations go into the log, and the memories and the documents of projects into files.
 */
export const claudeExport: MoveInFormat = {
  version: "claude.ai, November 2026",
  takes: ["file", "folder"],
  async *read(source) {
    for await (const record of readExport(source, "it is not a memory or a conversation"))
      if ("why" in record) yield record;
      else yield* toItems(toRecord(record.value), record.what);
  },
};

function* toItems(record: Record<string, unknown>, what: string): Generator<MoveInItem> {
  const { uuid, chat_messages: messages, docs, conversations_memory: memory, memory_files: files } = record;
  if (Array.isArray(messages) && typeof uuid === "string") yield toConversation(record, uuid, messages);
  else if (Array.isArray(docs) && typeof uuid === "string") yield* listProject(record, uuid, docs);
  else if (memory !== undefined || files !== undefined) yield* listMemories(record, what);
  else yield { what, why: "it is not a memory or a conversation" };
}

function* listMemories(record: Record<string, unknown>, what: string): Generator<MoveInItem> {
  const { conversations_memory: memory, project_memories: projects, memory_files: files } = record;
  if (typeof memory === "string" && memory !== "")
    yield { path: "/memory.md", content: memory, sources: ["claude.ai:memory"], what: `${what}, memory` };
  else if (memory) yield { what: `${what}, memory`, why: "it is not text" };
  if (projects && !isRecord(projects)) yield { what: `${what}, project memories`, why: "they have no names" };
  if (files && !Array.isArray(files)) yield { what: `${what}, memory files`, why: "they are not a list" };
  for (const [id, content] of Object.entries(toRecord(projects)))
    if (typeof content === "string")
      yield {
        ...toPath(["projects", id, "memory.md"]),
        content,
        sources: [`claude.ai:project:${id}`],
        what: `${what}, project ${id}`,
      };
    else yield { what: `${what}, project ${id}`, why: "its memory is not text" };
  for (const file of Array.isArray(files) ? files : []) {
    const { path, content } = toRecord(file);
    const place = `${what}, memory file`;
    if (typeof path === "string" && typeof content === "string")
      yield { path: `/files/${path}`, content, what: `${place} ${path}` };
    else yield { what: place, why: "it has no path or no text" };
  }
}

function* listProject(record: Record<string, unknown>, uuid: string, docs: readonly unknown[]): Generator<MoveInItem> {
  const { name, description, prompt_template: prompt } = record;
  const at = toDate(record["updated_at"]);
  const createdAt = toDate(record["created_at"]);
  const texts = [typeof name === "string" ? `# ${name}` : "", description, prompt];
  const content = texts.filter((text) => typeof text === "string" && text !== "").join("\n\n");
  const what = `project ${uuid}`;
  yield {
    ...toPath(["projects", uuid, "project.md"]),
    content,
    at,
    createdAt,
    sources: [`claude.ai:project:${uuid}`],
    what,
  };
  for (const [index, doc] of docs.entries()) {
    const { filename, content: text, created_at: time } = toRecord(doc);
    if (typeof filename === "string" && typeof text === "string")
      yield {
        ...toPath(["projects", uuid, "docs", filename]),
        content: text,
        at: toDate(time),
        what: `${what}, ${filename}`,
      };
    else yield { what: `${what}, document ${index + 1}`, why: "it has no name or no text" };
  }
}

function toConversation(record: Record<string, unknown>, uuid: string, given: readonly unknown[]): MoveInConversation {
  const losses = { "messages without time or speaker": 0, "parts that are not text": 0, "contents of attachments": 0 };
  const messages = given.flatMap((each, index): MoveInMessage[] => {
    const { sender, created_at: time, uuid: id, text, content, attachments, files } = toRecord(each);
    const at = toDate(time) ?? toDate(record["created_at"]);
    const role = sender === "human" ? "user" : sender;
    if (at === undefined || (role !== "user" && role !== "assistant")) {
      losses["messages without time or speaker"] += 1;
      return [];
    }
    const blocks = Array.isArray(content) ? content : [];
    const texts = blocks.filter((block) => getField(block, "type") === "text");
    losses["parts that are not text"] += blocks.length - texts.length;
    const attached = [attachments, files].flatMap((list) => (Array.isArray(list) ? list.filter(isRecord) : []));
    losses["contents of attachments"] += attached.length;
    const said = texts.length > 0 ? texts.map((block) => getField(block, "text")) : [text];
    const names = attached.map((file) => (typeof file["file_name"] === "string" ? ` ${file["file_name"]}` : ""));
    const lines = [...said.filter((part) => typeof part === "string"), ...names.map((name) => `[file${name}]`)];
    return [{ id: typeof id === "string" ? id : String(index), role, text: lines.join("\n"), at }];
  });
  return { threadId: uuid, messages, what: `conversation ${uuid}`, shortened: describeLosses(losses) };
}
