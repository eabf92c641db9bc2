import { isAbsolutePath } from "../../core/values/paths.js";
import type { MoveInEntry, MoveInFormat, MoveInNote } from "../item.js";
import { toDate } from "../names.js";
import { readItems, type StoreItem } from "../read/items.js";

/** The files of deepagents' `StoreBackend`: the key is the path; v1 keeps lines, v2 one text. */
export const deepagents: MoveInFormat = {
  version: "deepagents 1.14.1, file data v1 and v2",
  takes: ["items"],
  async *read(source, reading) {
    for await (const item of readItems(source, reading)) yield "why" in item ? item : toEntry(item);
  },
};

function toEntry({ namespace, key, value }: StoreItem): MoveInEntry | MoveInNote {
  const what = JSON.stringify([...namespace, key]);
  const { content, created_at: createdAt, modified_at: modifiedAt } = value;
  const lines = Array.isArray(content) && content.every((line) => typeof line === "string") ? content : null;
  const text = lines === null ? content : lines.join("\n");
  if (typeof text !== "string")
    return { what, why: ArrayBuffer.isView(content) ? "it is not text" : "it is not a file of deepagents" };
  if (!isAbsolutePath(key)) return { what, why: "its key is not a path" };
  return { path: key, content: text, at: toDate(modifiedAt), createdAt: toDate(createdAt), what };
}
