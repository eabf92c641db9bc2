import type { WriteMode } from "../../core/backend.js";
import { parentsOf } from "../../core/paths.js";
import { appendSeparator, utf8Bytes } from "../../core/text.js";
import { type Change, change, isDirectory, isLegacy, type Limits, parentIsFile, withParents } from "./change.js";
import { keyOf } from "./document.js";
import {
  type Branch,
  bytesOf,
  type Expression,
  firstOf,
  literal,
  textOrNull,
  type Variables,
  valueAt,
  where,
  withValueAt,
} from "./expressions.js";

interface TextChange {
  path: string;
  /** The file's text afterwards. May use `$$text`, the text as it is or null, and the variables. */
  newText: Expression;
  /** By how many bytes the text grows. May be any number where there is no text yet. */
  growth: Expression;
  /** What refuses a change of the file that is there. */
  refusals?: Branch[];
  /** Bytes of the text where there is none yet; null refuses to create the file. */
  newFileTextBytes: number | null;
  variables?: Variables;
  report?: Record<string, Expression>;
}

/** The change of one file's text, and of all that goes with it. */
function textChange(textual: TextChange, now: Date, limits: Limits): Change {
  const { path, newText, growth, refusals = [], newFileTextBytes, variables = [], report = {} } = textual;
  const key = keyOf(path);
  const newBytes: Expression = { $add: [bytesOf("$$text"), "$$growth"] };
  const memoryBytes: Expression = { $bsonSize: "$$ROOT" };
  const room: Expression = { $max: [0, { $subtract: [limits.maxMemoryBytes, memoryBytes] }] };
  const status = firstOf(
    [
      [isLegacy, "legacy"],
      [{ $not: ["$$text"] }, statusOfNewFile(path, newFileTextBytes, room)],
      ...refusals,
      [{ $gt: [newBytes, limits.maxFileBytes] }, "fileTooLarge"],
      [{ $gt: ["$$growth", room] }, "memoryFull"],
    ],
    "ok",
  );
  const oldTimes = valueAt("$meta", key);
  return change(
    status,
    {
      data: withValueAt("$data", key, newText),
      meta: withValueAt("$meta", key, { $mergeObjects: [{ createdAt: now }, oldTimes, { updatedAt: now }] }),
      dirs: withParents("$dirs", path),
    },
    now,
    { sizeBytes: newBytes, memoryBytes: { $add: [memoryBytes, "$$growth"] }, ...report },
    [["text", textOrNull(valueAt("$data", key))], ...variables, ["growth", growth]],
  );
}

function statusOfNewFile(path: string, textBytes: number | null, room: Expression): Expression {
  const parentRefuses: Branch[] = parentsOf(path).length > 0 ? [[parentIsFile(path), "parentIsFile"]] : [];
  const creation: Branch[] =
    textBytes === null ? [] : [...parentRefuses, [{ $gt: [textBytes + newFileBytes(path), room] }, "memoryFull"]];
  return firstOf([[isDirectory(path), "directory"], ...creation], textBytes === null ? "missing" : "ok");
}

const createdAtOf = (key: string): Expression => ({ $getField: { field: "createdAt", input: valueAt("$meta", key) } });

/** BSON bytes that a new file costs beside its text: its key and times, and the parents that may be new. */
export function newFileBytes(path: string): number {
  const parents = parentsOf(path).reduce((sum, parent) => sum + utf8Bytes(keyOf(parent)) + 3, 0);
  return 2 * utf8Bytes(keyOf(path)) + 52 + parents;
}

export function appendChange(path: string, content: string, create: boolean, now: Date, limits: Limits): Change {
  const bytes = utf8Bytes(content);
  // Whether a newline is needed at all is known here for most texts; the end of the old text only to the server.
  const mayNeedNewline = appendSeparator("x", content) !== "";
  const lastByte: Expression = { $subtract: [bytesOf("$$text"), 1] };
  const joins: Expression = {
    $or: [{ $in: ["$$text", [null, ""]] }, { $gte: [{ $indexOfBytes: ["$$text", "\n", lastByte] }, 0] }],
  };
  return textChange(
    {
      path,
      newText: { $concat: [{ $ifNull: ["$$text", ""] }, ...(mayNeedNewline ? ["$$separator"] : []), literal(content)] },
      growth: mayNeedNewline ? { $add: [bytesOf("$$separator"), bytes] } : bytes,
      newFileTextBytes: create ? bytes : null,
      variables: mayNeedNewline ? [["separator", where(joins, "", "\n")]] : [],
    },
    now,
    limits,
  );
}

export function writeChange(path: string, content: string, mode: WriteMode, now: Date, limits: Limits): Change {
  return textChange(
    {
      path,
      ...wholeText(content),
      refusals: mode.ifExists === "fail" ? [[true, "exists"]] : [],
      newFileTextBytes: mode.ifMissing === "create" ? utf8Bytes(content) : null,
      report: { createdAt: createdAtOf(keyOf(path)) },
    },
    now,
    limits,
  );
}

/** Sets the text if it is still `expected`; where it is not, the report holds the text as it is now. */
export function swapChange(path: string, expected: string, content: string, now: Date, limits: Limits): Change {
  return textChange(
    {
      path,
      ...wholeText(content),
      refusals: [["$$raced", "raced"]],
      newFileTextBytes: null,
      variables: [["raced", { $ne: ["$$text", literal(expected)] }]],
      report: { createdAt: createdAtOf(keyOf(path)), text: where("$$raced", "$$text", "$$REMOVE") },
    },
    now,
    limits,
  );
}

function wholeText(content: string): Pick<TextChange, "newText" | "growth"> {
  return {
    newText: literal(content),
    growth: { $subtract: [utf8Bytes(content), { $ifNull: [bytesOf("$$text"), 0] }] },
  };
}

export function replaceChange(path: string, search: string, content: string, now: Date, limits: Limits): Change {
  const parts: Expression = { $split: [{ $ifNull: ["$$text", ""] }, literal(search)] };
  return textChange(
    {
      path,
      newText: { $replaceAll: { input: "$$text", find: literal(search), replacement: literal(content) } },
      growth: { $multiply: ["$$replaced", utf8Bytes(content) - utf8Bytes(search)] },
      refusals: [[{ $eq: ["$$replaced", 0] }, "unchanged"]],
      newFileTextBytes: null,
      variables: [["replaced", { $subtract: [{ $size: parts }, 1] }]],
      report: { replaced: "$$replaced" },
    },
    now,
    limits,
  );
}
