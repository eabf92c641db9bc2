import type { WriteMode } from "../layout-backend.js";
import { type OlderText, olderTextOf } from "../../../core/history/older-text.js";
import { appendSeparator, utf8Bytes } from "../../../core/values/text.js";
import {
  type Change,
  type Circumstances,
  isDirectory,
  parentIsFile,
  type RefusableParts,
  type Refusals,
  refusableChange,
  roomFor,
  withParents,
} from "./change.js";
import { keyOfPath, newFileBytes, parentKeys } from "./document.js";
import {
  type Expression,
  isNull,
  literal,
  maxComparedBytes,
  textBytes,
  type Variables,
  where,
} from "../expressions.js";
import { textOrNull, valueAt, withValueAt, withValueIn } from "./expressions.js";
import { type Recorded, textEntry } from "./outbox-expressions.js";

interface TextChange extends Pick<
  RefusableParts,
  "strict" | "counts" | "changesNothing" | "leavesReceipt" | "ownVariables" | "knownAnswer"
> {
  path: string;
  /** Whether it makes a missing file. */
  create: boolean;
  /**
   * Whether nothing but a file that is there is changed. Its directories are there, too. Default: unless it may be
   * made.
   */
  isThere?: boolean;
  /** The file's text afterwards. May use the variables. */
  newText: Expression;
  newBytes: Expression;
  /** By how many bytes the document grows. */
  growth: Expression;
  /** What else refuses it, before the limits. */
  refusals: Refusals;
  variables: Variables;
  report?: Record<string, Expression>;
  /** Whether the times of the file are answered. */
  answersTimes?: boolean;
  /** How the text before is recorded. The expressions are null where the change creates the file. Null: not at all. */
  before: { text: Expression } | { bytes: Expression } | { older: OlderText } | null;
  /** Where it holds, the file has that text already. */
  unless?: Expression;
}

/** The change of one file's text, and of all that goes with it. */
function textChange(textual: TextChange, circumstances: Circumstances): Change {
  const {
    path,
    create,
    isThere = !create,
    newText,
    newBytes,
    growth,
    refusals,
    variables,
    report,
    strict,
    counts,
    changesNothing,
    answersTimes = false,
    leavesReceipt,
    ownVariables,
    knownAnswer,
  } = textual;
  const { now, maxFileBytes } = circumstances;
  const key = keyOfPath(path);
  const directory: Refusals = [[isDirectory(path), "directory"]];
  return refusableChange(
    {
      strict: strict && { ...strict, refusals: [...(isThere ? [] : directory), ...strict.refusals] },
      closerReasons: create ? [] : directory,
      refusals: [
        ...(create ? directory : []),
        ...refusals,
        // The caller has checked a text whose size it knows.
        ...(typeof newBytes === "number"
          ? []
          : ([[{ $gt: [newBytes, maxFileBytes] }, "fileTooLarge"]] satisfies Refusals)),
        ...(growth === 0 ? [] : ([[{ $gt: [growth, roomFor(circumstances)] }, "memoryFull"]] satisfies Refusals)),
      ],
      fields: {
        data: (isThere ? withValueIn : withValueAt)("$data", key, newText),
        meta: withValueAt("$meta", key, {
          $mergeObjects: [
            ...(knownAnswer === undefined ? [{ createdAt: now }] : []),
            valueAt("$meta", key),
            { updatedAt: now },
          ],
        }),
        ...(!isThere && { dirs: withParents("$dirs", path) }),
      },
      recorded: recordedText(textual),
      report: { sizeBytes: newBytes, memoryBytes: { $add: [{ $bsonSize: "$$ROOT" }, growth] }, ...report },
      recordedBytes: recordedBytes(textual),
      counts,
      changesNothing,
      answer: answersTimes ? { createdAt: createdAtOf(key) } : undefined,
      knownAnswer,
      leavesReceipt,
      variables,
      ownVariables,
    },
    circumstances,
  );
}

function recordedText({ path, before, unless }: TextChange): Recorded {
  if (before === null) return null;
  const key = keyOfPath(path);
  // Where the file is there, so are all of them.
  const parents = "older" in before ? [] : parentKeys(key);
  return {
    entry: (recording) => textEntry(recording, { key, parents, before }),
    ...(unless !== undefined && { unless }),
  };
}

function recordedBytes({ before }: TextChange): Expression {
  if (before === null || "bytes" in before) return null;
  if ("text" in before) return textBytes(before.text);
  const { text, kept = [] } = before.older;
  return utf8Bytes(text) + JSON.stringify(kept).length;
}

/** Whether the document may become too large. */
function strictRoom(mostGrowth: number, { maxMemoryBytes }: Circumstances): Refusals[number] {
  return [{ $gt: [{ $bsonSize: "$$ROOT" }, maxMemoryBytes - mostGrowth] }, "memoryFull"];
}

/** What refuses to create a file. Where the file is there, its parents are directories. */
function creationRefusals(path: string, create: boolean, isMissing: Expression): Refusals {
  if (!create) return [[isMissing, "missing"]];
  return path.includes("/", 1) ? [[parentIsFile(path), "parentIsFile"]] : [];
}

const createdAtOf = (key: string): Expression => ({ $getField: { field: "createdAt", input: valueAt("$meta", key) } });

/** @param report what to answer of the document as it was, of a change that is made, too. */
export function appendChange(
  path: string,
  content: string,
  create: boolean,
  circumstances: Circumstances,
  report: Record<string, Expression> | null = null,
): Change {
  const bytes = utf8Bytes(content);
  const text = textOrNull(valueAt("$data", keyOfPath(path)));
  // Whether a newline is needed at all is known here for most texts; the end of the old text only to the server.
  const mayNeedNewline = appendSeparator("x", content) !== "";
  const withoutNewlines: Expression = { $rtrim: { input: "$$text", chars: "\n" } };
  const joins: Expression = { $or: [{ $eq: ["$$text", ""] }, { $ne: ["$$text", withoutNewlines] }] };
  const start: Expression = { $concat: ["$$text", where(joins, "", "\n")] };
  const createdBytes = bytes + newFileBytes(path);
  const textOrEmpty: Expression = { $ifNull: [valueAt("$data", keyOfPath(path)), ""] };
  return textChange(
    {
      path,
      create,
      newText: { $concat: [{ $ifNull: ["$$start", ""] }, literal(content)] },
      newBytes: { $add: [textBytes("$$start"), bytes] },
      growth: where("$$start", bytes + (mayNeedNewline ? 1 : 0), createdBytes),
      refusals: creationRefusals(path, create, isNull("$$start")),
      variables: mayNeedNewline
        ? [
            ["text", text],
            ["start", start],
          ]
        : [["start", text]],
      ...(create && {
        strict: {
          refusals: [
            ...creationRefusals(path, create, false),
            [{ $gt: [textBytes("$$start"), circumstances.maxFileBytes - bytes] }, "fileTooLarge"],
            strictRoom(createdBytes, circumstances),
          ],
          variables: mayNeedNewline
            ? [
                ["text", textOrEmpty],
                ["start", start],
              ]
            : [["start", textOrEmpty]],
        },
      }),
      ...(report && { report, leavesReceipt: false }),
      before: { bytes: textBytes(mayNeedNewline ? "$$text" : "$$start") },
      ...(content === "" && { unless: { $not: [isNull("$$start")] } }),
    },
    circumstances,
  );
}

/**
 * @param createdAt when the file was made, if that is known; a strict change asks whether it is still so, and answers
 * nothing else.
 */
export function writeChange(
  path: string,
  content: string,
  mode: WriteMode,
  circumstances: Circumstances,
  createdAt: Date | null = null,
): Change {
  const refusals = creationRefusals(path, mode.ifMissing === "create", isNull("$$oldBytes"));
  if (mode.ifExists === "fail") refusals.push([{ $not: [isNull("$$oldBytes")] }, "exists"]);
  const text = textOrNull(valueAt("$data", keyOfPath(path)));
  const create = mode.ifMissing === "create";
  if (circumstances.recording === null) {
    const whole = { create, refusals, before: null, ...wholeText(path, content, textBytes(text)) };
    const isThere = circumstances.isStrict === true && createdAt !== null;
    if (mode.ifExists === "fail" || !(create || isThere)) return textChange(whole, circumstances);
    const asBefore: Refusals = isThere
      ? [[{ $ne: [createdAtOf(keyOfPath(path)), createdAt] }, "raced"]]
      : creationRefusals(path, create, false);
    const strict = {
      refusals: [...asBefore, strictRoom(utf8Bytes(content) + newFileBytes(path), circumstances)],
      variables: [],
    };
    return textChange({ strict, ...whole, ...(isThere && { isThere, knownAnswer: { createdAt } }) }, circumstances);
  }
  const whole = wholeText(path, content, textBytes("$$text"));
  return textChange(
    {
      ...whole,
      create,
      newText: "$$content",
      refusals,
      variables: [["text", text], ...whole.variables],
      before: { text: "$$text" },
      unless: { $eq: ["$$text", "$$content"] },
      // Once for both: a text may be long.
      ownVariables: [["content", literal(content)]],
    },
    circumstances,
  );
}

/** Sets the text if it is still `expected`; where it is not, the report holds the text as it is now. */
export function swapChange(path: string, expected: string, content: string, circumstances: Circumstances): Change {
  const whole = wholeText(path, content, textBytes("$$text"));
  return textChange(
    {
      ...whole,
      create: false,
      refusals: [
        [isNull("$$text"), "missing"],
        ["$$raced", "raced"],
      ],
      variables: [
        ["text", textOrNull(valueAt("$data", keyOfPath(path)))],
        ["raced", { $ne: ["$$text", literal(expected)] }],
        ...whole.variables,
      ],
      report: { text: where("$$raced", "$$text", "$$REMOVE") },
      before: { older: olderTextOf(expected, content) },
      ...(content === expected && { unless: true }),
    },
    circumstances,
  );
}

function wholeText(
  path: string,
  content: string,
  oldBytes: Expression,
): Omit<TextChange, "create" | "refusals" | "before"> {
  const newBytes = utf8Bytes(content);
  return {
    path,
    newText: literal(content),
    newBytes,
    growth: { $subtract: [newBytes, { $ifNull: ["$$oldBytes", -newFileBytes(path)] }] },
    variables: [["oldBytes", oldBytes]],
    answersTimes: true,
  };
}

/** Refuses as "costly", with the text in the report, what would take the server long to search through. */
export function replaceChange(path: string, search: string, content: string, circumstances: Circumstances): Change {
  const searchBytes = utf8Bytes(search);
  // It is compared at each place of the text where it could begin, and at one at least.
  const maxTextBytes = searchBytes - 1 + Math.floor(maxComparedBytes / searchBytes);
  const parts: Expression = { $split: [{ $ifNull: ["$$text", ""] }, literal(search)] };
  const longer = utf8Bytes(content) - searchBytes;
  const grown: Expression = { $multiply: ["$$replaced", longer] };
  const newBytes: Expression = longer === 0 ? textBytes("$$text") : { $add: [textBytes("$$text"), grown] };
  const refusals: Refusals = [
    [isNull("$$text"), "missing"],
    [isNull("$$replaced"), "costly"],
  ];
  const { maxFileBytes, maxMemoryBytes } = circumstances;
  const strictLimits: Refusals = [
    [{ $gt: [newBytes, maxFileBytes] }, "fileTooLarge"],
    ...(longer > 0
      ? ([[{ $gt: [{ $add: [{ $bsonSize: "$$ROOT" }, grown] }, maxMemoryBytes] }, "memoryFull"]] satisfies Refusals)
      : []),
  ];
  const replaced: Variables[number] = [
    "replaced",
    where({ $gt: [textBytes("$$text"), maxTextBytes] }, null, { $subtract: [{ $size: parts }, 1] }),
  ];
  return textChange(
    {
      path,
      create: false,
      newText: { $replaceAll: { input: "$$text", find: literal(search), replacement: literal(content) } },
      newBytes,
      growth: longer > 0 ? grown : 0,
      refusals,
      variables: [["text", textOrNull(valueAt("$data", keyOfPath(path)))], replaced],
      strict: {
        refusals: [...refusals, ...strictLimits],
        variables: [["text", { $ifNull: [valueAt("$data", keyOfPath(path)), null] }], replaced],
      },
      report: { text: where(isNull("$$replaced"), "$$text", "$$REMOVE") },
      counts: ["$$replaced", 0],
      changesNothing: { $eq: ["$$replaced", 0] },
      before: { text: "$$text" },
      ...(content === search && { unless: true }),
    },
    circumstances,
  );
}
