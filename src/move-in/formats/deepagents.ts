import { isAbsolutePath } from "../../core/values/paths.js";
import { createNote, type MoveInEntry, type MoveInNote, type MoveInSource } from "../entry.js";
import { toDate } from "../names.js";
import { getOwner, readItems, type StoreItem } from "../read/items.js";

/** The files of deepagents 1.14.1's `StoreBackend`: the key is the path; v1 keeps lines, v2 one text. */
export async function* readDeepagents(
  source: MoveInSource,
  namespace: readonly string[],
): AsyncGenerator<MoveInEntry | MoveInNote> {
  for await (const item of readItems(source, namespace))
    yield item.kind === "note" ? item : { ...toEntry(item), ...getOwner(namespace) };
}

function toEntry({ namespace, key, value }: StoreItem): MoveInEntry | MoveInNote {
  const what = JSON.stringify([...namespace, key]);
  const { content, created_at: createdAt, modified_at: modifiedAt } = value;
  const lines = Array.isArray(content) && content.every((line) => typeof line === "string") ? content : null;
  const text = lines === null ? content : lines.join("\n");
  if (typeof text !== "string")
    return createNote(what, ArrayBuffer.isView(content) ? "it is not text" : "it is not a file of deepagents");
  if (!isAbsolutePath(key)) return createNote(what, "its key is not a path");
  return { path: key, content: text, at: toDate(modifiedAt), createdAt: toDate(createdAt), what };
}
