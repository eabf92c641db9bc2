import { memoryRootLabel } from "../../core/values/namespace.js";
import { toRecord } from "../../core/values/unknown-values.js";
import { createNote, type MoveInEntry, type MoveInNote, type MoveInSource } from "../entry.js";
import { getMonthFile, toDate, toPath } from "../names.js";
import { getOwner, readItems, type StoreItem } from "../read/items.js";

/**
 * The items of a BaseStore. Each becomes a file: its namespace is the directory, its key the name, its text the content.
 * LangMem and most programs have one text; other values become a line for each field. A text with a random key, as
 * LangMem makes them, is a fact without a name: those of a namespace and a month share a file.
 */
export async function* readStore(
  source: MoveInSource,
  namespace: readonly string[],
): AsyncGenerator<MoveInEntry | MoveInNote> {
  for await (const item of readItems(source, namespace))
    yield item.kind === "note"
      ? item
      : { ...toEntry(item, item.namespace.slice(namespace.length)), ...getOwner(namespace) };
}

function toEntry(
  { namespace, key, value, createdAt, updatedAt }: StoreItem,
  labels: readonly string[],
): MoveInEntry | MoveInNote {
  const what = JSON.stringify([...namespace, key]);
  if (namespace[0] === memoryRootLabel) return createNote(what, "it belongs to a memory of this package; use export");
  const content = toText(value);
  if (content === null) return createNote(what, "its value is not JSON");
  const source = `store:${what}`;
  const times = { at: toDate(updatedAt), createdAt: toDate(createdAt) };
  if (randomKey.test(key) && getOnlyText(value) !== null) {
    const directory = labels.length === 0 ? ["store"] : labels;
    return { ...toPath([...directory, getMonthFile(times.createdAt)]), id: source, content, ...times, what };
  }
  const name = /\.[A-Za-z0-9]{1,8}$/.test(key) ? key : `${key}.md`;
  return { ...toPath([...labels, name]), content, ...times, sources: [source], what };
}

/** A UUID, an ObjectId or a ULID. */
const randomKey = /^(?:[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}|[0-9a-f]{24}|[0-7][0-9a-hjkmnp-tv-z]{25})$/i;

/** The names of the only text of a value. LangMem has a `content` in its `content`. */
const textFields = ["content", "text", "data", "memory", "value"];

function getOnlyText(value: Record<string, unknown>): string | null {
  const field = textFields.find((name) => value[name] !== undefined);
  const text = field === undefined ? undefined : value[field];
  const { content: inner = text, ...innerOthers } = toRecord(text);
  const others = Object.keys({ ...value, ...innerOthers }).filter((name) => name !== field && name !== "kind");
  return typeof inner === "string" && others.length === 0 ? inner : null;
}

function toText(value: Record<string, unknown>): string | null {
  const only = getOnlyText(value);
  if (only !== null) return only;
  try {
    const lines = Object.entries(value).map(
      ([name, each]) => `${name}: ${typeof each === "string" ? each : (JSON.stringify(each) ?? "")}`,
    );
    return lines.join("\n");
  } catch {
    return null;
  }
}
