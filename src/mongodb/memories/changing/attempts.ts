import { encodeOlderText } from "../../../core/history/older-text.js";
import type { Steps } from "../../../core/runtime/time-slices.js";
import type { ApplySettings } from "../../../core/tree/apply-change.js";
import type { Change } from "../../../core/tree/change.js";
import { getParents, ROOT } from "../../../core/values/paths.js";
import { type LineEnd, setLineEnds } from "../../../core/values/line-ends.js";
import { appendSeparator, utf8Bytes } from "../../../core/values/text.js";
import { createRecord } from "../../driver/records.js";
import {
  entriesWhere,
  type Expression,
  isNull,
  keyIsWithin,
  literal,
  mapEntries,
  maxComparedBytes,
  orEmpty,
  textBytes,
  valueAt,
  type Variables,
  where,
  withoutKey,
  withValueAt,
} from "../documents/expressions.js";
import type { ChangeParts } from "./change-pipeline.js";
import { keyOfPath } from "../documents/page-document.js";
import { compareKeys, getOrderKey } from "../documents/page-order.js";
import { newFileBytes } from "../documents/page-sizes.js";

type TextAttempt = Pick<ChangeParts, "counts" | "growth" | "isNothing" | "fileCreatedAt" | "outcome"> & {
  path: string;
  /** Whether the change creates a missing file. */
  create: boolean;
  /** The text after the change. May use `$$text`, the text before the change; null if there is none. */
  newText: Expression;
  variables?: Variables;
  unless?: Expression[];
  /** The part of the previous text that the history records. */
  before: Record<string, Expression>;
};

interface TextSettings extends Pick<ApplySettings, "now"> {
  /** The start of the page. The directories above it exist because the page does, and are stored in other pages. */
  lo: string;
}

/**
 * Returns the change as one command for a document of the present layout. The condition is checked on the stored
 * document, and may refuse allowed changes.
 * @param lo the start of the page
 * @returns null for a change that only the tree can make
 */
export function createAttempt(change: Change, options: ApplySettings, lo: string): ChangeParts | null {
  const settings = { ...options, lo };
  if (change.type === "delete") return deleteAttempt(change.path, change.ifDirectory);
  if (change.path === ROOT) return null;
  if (change.type === "edit" || change.type === "rename") return null;
  if (utf8Bytes(change.content) > settings.maxFileBytes) return null;
  switch (change.type) {
    case "append":
      return appendAttempt(change, settings);
    case "write":
      return writeAttempt(change, settings);
    case "update":
      return updateAttempt(change, settings);
  }
}

function textAttempt(attempt: TextAttempt, { now, lo }: TextSettings): ChangeParts {
  const { path, create, newText, variables = [], unless = [], before, ...rest } = attempt;
  const key = keyOfPath(path);
  const parents = create
    ? getParents(path)
        .filter((parent) => compareKeys(getOrderKey(parent), lo) >= 0)
        .map(keyOfPath)
    : [];
  const isMissing = isNull("$$text");
  const cannotCreate = [valueAt("$dirs", key), ...parents.map((parent) => valueAt("$data", parent))];
  return {
    variables: [["text", { $ifNull: [valueAt("$data", key), null] }], ...variables, ["newText", newText]],
    unless: [...(create ? cannotCreate : [isMissing]), ...unless],
    fields: {
      data: withValueAt("$data", key, "$$newText"),
      meta: withValueAt("$meta", key, {
        $mergeObjects: [{ createdAt: now }, valueAt("$meta", key), { updatedAt: now }],
      }),
      ...(create && {
        dirs: { $mergeObjects: ["$dirs", literal(createRecord(parents.map((parent) => [parent, true])))] },
      }),
    },
    recorded: {
      files: [{ key: literal(key), ...before }],
      directories: { added: parents.map((parent) => where(valueAt("$dirs", parent), null, literal(parent))) },
    },
    isUnchanged: { $eq: ["$$text", "$$newText"] },
    ...rest,
  };
}

/**
 * Whether new lines at the end of `$$old` end with "\r\n", as `appendLines` decides: like the last line, or, if that
 * has no end, like the first.
 */
function endsWithWindowsLines(withoutNewlines: Expression): Expression {
  const newlines: Expression = { $subtract: [textBytes("$$old"), textBytes(withoutNewlines)] };
  const endsWithReturn: Expression = { $ne: [withoutNewlines, { $rtrim: { input: withoutNewlines, chars: "\r" } }] };
  const firstWindowsLine: Expression = { $indexOfBytes: ["$$old", "\r\n"] };
  const firstIsWindows: Expression = {
    $and: [
      { $gte: [firstWindowsLine, 0] },
      { $eq: [{ $add: [firstWindowsLine, 1] }, { $indexOfBytes: ["$$old", "\n"] }] },
    ],
  };
  return where({ $eq: [newlines, 0] }, firstIsWindows, { $and: [{ $eq: [newlines, 1] }, endsWithReturn] });
}

/** Returns the text to append to a text that is not empty. */
function getAddition(content: string, withoutNewlines: Expression): Expression {
  const addition = (lineEnd: LineEnd): Expression[] => {
    const lines = setLineEnds(content, lineEnd);
    const separated: Expression = { $eq: [withoutNewlines, "$$old"] };
    return appendSeparator("x", setLineEnds(content, "\n")) === ""
      ? [literal(lines)]
      : [where(separated, lineEnd, ""), literal(lines)];
  };
  return where(endsWithWindowsLines(withoutNewlines), { $concat: addition("\r\n") }, { $concat: addition("\n") });
}

function appendAttempt(
  { path, content, create, lineEnds }: Extract<Change, { type: "append" }>,
  settings: ApplySettings & TextSettings,
): ChangeParts {
  const old: Expression = { $ifNull: ["$$text", ""] };
  // For most texts the appended text alone shows that no newline is needed. Only the server knows how the old text
  // ends.
  const mayNeedNewline = appendSeparator("x", content) !== "";
  const withoutNewlines: Expression = { $rtrim: { input: "$$old", chars: "\n" } };
  const joins: Expression = { $or: [{ $eq: ["$$old", ""] }, { $ne: ["$$old", withoutNewlines] }] };
  const start = mayNeedNewline ? [where(joins, "", "\n")] : [];
  const addition =
    lineEnds === "file"
      ? [where({ $eq: ["$$old", ""] }, literal(content), getAddition(content, withoutNewlines))]
      : [...start, literal(content)];
  return textAttempt(
    {
      path,
      create,
      variables: [["old", old]],
      newText: { $concat: ["$$old", ...addition] },
      unless: [{ $gt: [textBytes("$$newText"), settings.maxFileBytes] }],
      before: { beforeBytes: textBytes("$$text") },
      counts: null,
      outcome: {},
      growth:
        (lineEnds === "file" ? utf8Bytes(setLineEnds(content, "\r\n")) : utf8Bytes(content)) + 2 + newFileBytes(path),
    },
    settings,
  );
}

function writeAttempt(
  { path, content, ifExists, ifMissing }: Extract<Change, { type: "write" }>,
  settings: ApplySettings & TextSettings,
): ChangeParts {
  const before: Expression = { $getField: { field: "createdAt", input: valueAt("$meta", keyOfPath(path)) } };
  const createdAt: Expression = { $ifNull: [before, settings.now] };
  return textAttempt(
    {
      path,
      create: ifMissing === "create",
      newText: literal(content),
      unless: ifExists === "fail" ? [{ $ne: ["$$text", null] }] : [],
      before: { before: "$$text" },
      counts: [0, 0],
      fileCreatedAt: createdAt,
      outcome: { sizeBytes: utf8Bytes(content), createdAt },
      growth: { $subtract: [utf8Bytes(content) + newFileBytes(path), textBytes({ $ifNull: ["$$text", ""] })] },
    },
    settings,
  );
}

function updateAttempt(
  change: Extract<Change, { type: "update" }>,
  settings: ApplySettings & TextSettings,
): ChangeParts {
  const { path } = change;
  const hasLineEnds = change.lineEnds === "file" && /[\r\n]/.test(change.oldContent + change.content);
  // The server compares texts as they are, so only the tree can change a text with Windows line ends.
  const hasWindowsLines: Expression = { $gte: [{ $indexOfBytes: [{ $ifNull: ["$$text", ""] }, "\r\n"] }, 0] };
  const oldContent = hasLineEnds ? setLineEnds(change.oldContent, "\n") : change.oldContent;
  const content = hasLineEnds ? setLineEnds(change.content, "\n") : change.content;
  const searchBytes = utf8Bytes(oldContent);
  // The search text is compared at each position where it could begin, and at least at one.
  const maxTextBytes = searchBytes - 1 + Math.floor(maxComparedBytes / searchBytes);
  const isCostly: Expression = { $gt: [textBytes("$$text"), maxTextBytes] };
  const longer = utf8Bytes(content) - searchBytes;
  const newBytes: Expression = { $add: [textBytes("$$text"), { $multiply: ["$$replaced", longer] }] };
  const isTooLarge: Expression = { $gt: [newBytes, settings.maxFileBytes] };
  const replaceAll = { input: "$$searched", find: literal(oldContent), replacement: literal(content) };
  return textAttempt(
    {
      path,
      create: false,
      variables: [
        ["searched", where(isCostly, "", { $ifNull: ["$$text", ""] })],
        ["replaced", { $subtract: [{ $size: { $split: ["$$searched", literal(oldContent)] } }, 1] }],
      ],
      // The server would compute an oversized text before the condition refuses the change.
      newText: where(isTooLarge, "", { $replaceAll: replaceAll }),
      unless: [isCostly, isTooLarge, ...(hasLineEnds ? [hasWindowsLines] : [])],
      before: { before: "$$text" },
      counts: ["$$replaced", 0],
      outcome: { replaced: "$$replaced" },
      isNothing: { $eq: ["$$replaced", 0] },
      growth: longer > 0 ? { $subtract: [newBytes, textBytes("$$text")] } : 0,
    },
    settings,
  );
}

/** Replaces the text of a file if the text is still `before`. Others may change the rest of the memory meanwhile. */
export function* createSwap(
  { path, before, content }: { path: string; before: string; content: string },
  settings: Pick<ApplySettings, "now">,
): Steps<ChangeParts> {
  return textAttempt(
    {
      path,
      create: false,
      newText: literal(content),
      unless: [{ $ne: ["$$text", literal(before)] }],
      before: { older: literal(yield* encodeOlderText(before, content)) },
      counts: null,
      growth: Math.max(0, utf8Bytes(content) - utf8Bytes(before)),
    },
    { ...settings, lo: "" },
  );
}

/** Deletes a file without reading other keys, or a directory with everything below it. */
function deleteAttempt(path: string, ifDirectory: "delete" | "fail"): ChangeParts | null {
  if (path === ROOT) return ifDirectory === "delete" ? deleteEverything() : null;
  const key = keyOfPath(path);
  const isFile: Expression = { $ne: ["$$text", null] };
  const within = (record: string): Expression => where(isFile, [], entriesWhere(record, keyIsWithin(key)));
  const withoutTree = (record: string): Expression => ({
    $arrayToObject: entriesWhere(record, { $not: [keyIsWithin(key)] }),
  });
  const withoutPath = (record: string): Expression => where(isFile, withoutKey(record, key), withoutTree(record));
  return removal({
    unless: ifDirectory === "fail" ? [valueAt("$dirs", key)] : [],
    isMissing: { $not: [{ $or: [valueAt("$data", key), valueAt("$dirs", key)] }] },
    variables: [
      ["text", { $ifNull: [valueAt("$data", key), null] }],
      ["files", where(isFile, [{ k: literal(key), v: "$$text" }], within("$data"))],
      ["dirs", within("$dirs")],
    ],
    fields: {
      data: withoutPath("$data"),
      meta: withoutPath("$meta"),
      dirs: where(isFile, "$dirs", withoutTree("$dirs")),
    },
  });
}

function deleteEverything(): ChangeParts {
  return removal({
    unless: [],
    isMissing: {
      $eq: [
        [orEmpty("$data"), orEmpty("$dirs")],
        [{}, {}],
      ],
    },
    variables: [
      ["files", entriesWhere("$data", true)],
      ["dirs", entriesWhere("$dirs", true)],
    ],
    fields: { data: {}, meta: {}, dirs: {} },
  });
}

/** Removes the entries in the variables `files` and `dirs`. Writes nothing if there is nothing to remove. */
function removal({
  unless,
  isMissing,
  ...parts
}: Pick<ChangeParts, "unless" | "fields"> & { variables: Variables; isMissing: Expression }): ChangeParts {
  const [files, dirs] = [{ $size: "$$files" }, { $size: "$$dirs" }];
  return {
    ...parts,
    unless: [isMissing, ...unless],
    recorded: {
      files: mapEntries("$$files", { key: "$$entry.k", gone: true, before: "$$entry.v" }),
      directories: { removed: mapEntries("$$dirs", "$$entry.k") },
    },
    removedFields: ["splitAtBytes"],
    counts: [files, dirs],
    outcome: { files, dirs },
    hasNothing: { $and: [{ $isNumber: "$revision" }, isMissing] },
    growth: 0,
  };
}
