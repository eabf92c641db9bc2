import { applyChange } from "../tree/apply-change.js";
import type { Change, LineEnds } from "../tree/change.js";
import { digestTree } from "../tree/digest.js";
import { MemoryTree } from "../tree/memory-tree.js";
import type { CallContext } from "../runtime/call.js";
import type { ChangeConditions, ChangeRecord, PlannedChange } from "../contract/change-record.js";
import { shownChange, shownDiff } from "./shown-diff.js";

interface PlanSettings {
  maxFileBytes: number;
  /** Returns the form of a path that a person is shown. */
  showPath: (path: string) => string;
  /** Throws if a path below a moved or deleted directory may not be changed at all. */
  checkPath?: ((path: string) => void) | undefined;
}

/**
 * Describes what a change would do to a tree, without changing the tree.
 * @returns null if nothing would change. @throws as `applyChange` does
 */
export async function planChange(
  tree: MemoryTree,
  change: Change,
  { maxFileBytes, showPath, checkPath }: PlanSettings,
  call: CallContext,
): Promise<PlannedChange | null> {
  const { type: command, path } = change;
  const { edits, result } = applyChange(tree, change, { now: new Date(), maxFileBytes }, { checkPath });
  const plan = {
    command,
    path,
    base: digestTree(tree, change),
    isDirectory: tree.kind(path) === "dir",
    conditions: getConditions(change),
  };
  const noText = { content: null, oldContent: null, before: null, after: null };
  switch (change.type) {
    case "append":
    case "write":
    case "update":
    case "edit": {
      const before = tree.files.get(path)?.content ?? null;
      const after = edits.files[0]?.content ?? before;
      if (after === null || after === before) return null;
      const content = change.type === "edit" ? after : change.content;
      const oldContent = change.type === "update" ? change.oldContent : null;
      const counts = change.type === "update" ? { replaced: result.replaced } : {};
      const diff = await shownChange(showPath(path), { before, after }, call);
      return { ...plan, to: null, content, oldContent, before, after, diff, counts };
    }
    case "delete": {
      if (edits.removed.length === 0) return null;
      const text = tree.files.get(path)?.content;
      const diff =
        text === undefined
          ? shownDiff(listTree(tree, edits.removed, "-", showPath))
          : await shownChange(showPath(path), { before: text, after: null }, call);
      return { ...plan, ...noText, to: null, diff, counts: result.deleted };
    }
    case "rename": {
      const { to } = change;
      const showMoved = (each: string): string => showPath(to + each.slice(path.length));
      const names = `rename from ${showPath(path)}\nrename to ${showPath(to)}\n`;
      const moved = tree.pathsWithin(path);
      const entries = listTree(tree, moved, "-", showPath) + listTree(tree, moved, "+", showMoved);
      return { ...plan, ...noText, to, diff: shownDiff(names + entries), counts: {} };
    }
  }
}

function getConditions(change: Change): ChangeConditions {
  switch (change.type) {
    case "append":
      return { create: change.create, ...getLineEnds(change) };
    case "write":
      return { ifExists: change.ifExists, ifMissing: change.ifMissing };
    case "update":
      return getLineEnds(change);
    case "delete":
      return { ifDirectory: change.ifDirectory, ...(change.keeps && { keeps: change.keeps }) };
    case "edit":
    case "rename":
      return {};
  }
}

function getLineEnds({ lineEnds }: { lineEnds?: LineEnds | undefined }): { lineEnds?: LineEnds } {
  return lineEnds === undefined ? {} : { lineEnds };
}

/** @param paths in the order of a tree */
function listTree(
  tree: MemoryTree,
  paths: readonly string[],
  sign: string,
  showPath: (path: string) => string,
): string {
  const describe = (path: string): string => {
    const file = tree.files.get(path);
    return `${showPath(path)}${file === undefined ? "/" : ` (${file.sizeBytes} bytes)`}`;
  };
  return paths.map((path) => `${sign} ${describe(path).replaceAll("\n", "\\n")}\n`).join("");
}

/** Returns the recorded change, with its own content or the given one. */
export function createRecordedChange(
  { command, path, to, oldContent, content: ownContent, conditions = {} }: ChangeRecord,
  content = ownContent ?? "",
): Change {
  switch (command) {
    case "append":
      return { type: command, path, content, create: true, ...conditions };
    case "write":
      return { type: command, path, content, ifExists: "replace", ifMissing: "create", ...conditions };
    case "edit":
      return { type: command, path, edit: () => content };
    case "update":
      return { type: command, path, oldContent: oldContent ?? "", content, ...conditions };
    case "delete":
      return { type: command, path, ifDirectory: "delete", ...conditions };
    case "rename":
      return { type: command, path, to: to ?? path };
  }
}

/** Returns the change that applies an approved record: it sets the text that the person was shown. */
export function createApprovedChange(record: ChangeRecord): Change {
  const { command, path, before, after, edited, isDirectory, conditions } = record;
  if (command === "delete")
    return { type: command, path, ifDirectory: isDirectory ? "delete" : "fail", keeps: conditions?.keeps };
  if (command === "rename") return createRecordedChange(record);
  const isNew = before === null;
  return {
    type: "write",
    path,
    content: edited?.after ?? after ?? "",
    ifExists: isNew ? "fail" : "replace",
    ifMissing: isNew ? "create" : "fail",
  };
}

/** Returns the text of the file if the recorded change is made with another content. @throws EFBIG */
export function getEditedText(record: ChangeRecord, content: string, maxFileBytes: number): string {
  const { path, before, at } = record;
  const file = { kind: "file" as const, path, content: before ?? "", sizeBytes: 0, createdAt: at, updatedAt: at };
  const tree = new MemoryTree({ files: before === null ? [] : [file] });
  const { edits } = applyChange(tree, createRecordedChange(record, content), { now: at, maxFileBytes });
  return edits.files[0]?.content ?? before ?? "";
}
