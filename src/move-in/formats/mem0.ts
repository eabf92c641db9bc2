import { getField, toRecord } from "../../core/values/unknown-values.js";
import { createNote, type MoveInEntry, type MoveInNote, type MoveInSource } from "../entry.js";
import { getMonthFile, toDate } from "../names.js";
import { findDocuments, isCollection } from "../read/items.js";
import { readRecords } from "../read/records.js";

/**
 * Memories of mem0 (mem0ai 3.3.1 for JavaScript, 2.2.1 for Python): the answer of `get_all` or an export as JSON or
 * JSONL, or the collection of its MongoDB vector store. Those of a month share a file.
 */
export async function* readMem0(source: MoveInSource): AsyncGenerator<MoveInEntry | MoveInNote> {
  let number = 0;
  if (isCollection(source)) {
    for await (const document of findDocuments(source, {})) {
      number += 1;
      const { _id: id, payload } = toRecord(document);
      yield toEntry({ ...toRecord(payload), id: typeof id === "string" ? id : undefined }, `document ${number}`);
    }
    return;
  }
  for await (const record of readRecords(source)) {
    if (record.kind === "note") {
      yield record;
      continue;
    }
    for (const memory of listMemories(record.value)) {
      number += 1;
      yield toEntry(toRecord(memory), `memory ${number}`);
    }
    yield* noteOthers(record.value);
  }
}

/** An export is a list in an object. */
function listMemories(value: unknown): readonly unknown[] {
  const list = getField(value, "results") ?? getField(value, "memories");
  return Array.isArray(list) ? list : [value];
}

/** Notes what an answer of mem0 has beside its memories: the relations of its graph, and the address of a next page. */
function* noteOthers(value: unknown): Generator<MoveInNote> {
  const relations = getField(value, "relations");
  if (Array.isArray(relations) && relations.length > 0)
    yield createNote(`${relations.length} relations`, "relations of a graph are no memories");
  if (typeof getField(value, "next") === "string")
    yield createNote("the next page", "the answer has only the memories of one page");
}

function toEntry(memory: Record<string, unknown>, place: string): MoveInEntry | MoveInNote {
  const text = memory["memory"] ?? memory["data"];
  const id = getText(memory, "id");
  if (typeof text !== "string" || id === undefined) return createNote(place, "it is not a memory of mem0");
  const users = new Set(["user_id", "userId"].map((name) => memory[name] ?? "").filter((user) => user !== ""));
  const [userId = null] = users;
  if (users.size > 1 || (userId !== null && typeof userId !== "string"))
    return createNote(`mem0:${id}`, "it does not name its user by one text");
  const createdAt = toDate(memory["created_at"] ?? memory["createdAt"]);
  const at = toDate(memory["updated_at"] ?? memory["updatedAt"]) ?? createdAt;
  return {
    path: `/mem0/${getMonthFile(createdAt)}`,
    id: `mem0:${id}`,
    content: text,
    at,
    createdAt,
    author: getText(memory, "actor_id", "actorId") ?? getText(memory, "agent_id", "agentId"),
    userId,
    what: `mem0:${id}`,
    shortened: describeOthers(memory),
  };
}

/** The fields that the file has in another form, and the fields of mem0's own bookkeeping. */
const knownFields = new Set(
  ["id", "memory", "data", "hash", "role", "score", "metadata", "text_lemmatized"].concat(
    ["user", "agent", "run", "actor"].flatMap((name) => [`${name}_id`, `${name}Id`]),
    ["created", "updated"].flatMap((name) => [`${name}_at`, `${name}At`]),
  ),
);

/** Words which fields of the program are left out. */
function describeOthers(memory: Record<string, unknown>): string | undefined {
  const names = Object.keys({ ...memory, ...toRecord(memory["metadata"]) }).filter((name) => !knownFields.has(name));
  return names.length === 0 ? undefined : `left out: ${names.join(", ")}`;
}

/** mem0 for Python and its platform write `user_id`, its library for JavaScript `userId`. */
function getText(memory: Record<string, unknown>, ...names: string[]): string | undefined {
  const value = names.map((name) => memory[name]).find((each) => typeof each === "string" && each !== "");
  return typeof value === "string" ? value : undefined;
}
