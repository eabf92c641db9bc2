import { createHash } from "node:crypto";
import { alreadyExists, fileNotFound, parentIsFile, pathIsDirectory } from "../values/errors.js";
import type { SnapshotFile } from "../memory.js";
import { parentsOf } from "../values/paths.js";
import { appendText, compareCodeUnits, replaceText } from "../values/text.js";
import type { MemoryTree } from "../tree/memory-tree.js";
import type { ChangeCommand, PlannedChange } from "./change-record.js";
import { shownChange, shownDiff } from "./shown-diff.js";

/** The commands that change the text of one file. */
export type TextCommand = Exclude<ChangeCommand, "delete" | "rename">;

export interface TextWish {
  command: TextCommand;
  path: string;
  oldContent?: string;
  /** The content after the guards. @param before null if there is no file */
  contentFor: (before: string | null) => Promise<string>;
  /** EEXIST if the file exists. */
  isNew?: boolean;
  /** Whether a missing file is created; else ENOENT. */
  create: boolean;
  maxFileBytes: number;
}

/**
 * @param shown how a path is shown. @returns null where the text stays as it is. @throws ENOENT, EISDIR, EEXIST,
 * ENOTDIR, EFBIG
 */
export async function planText(
  tree: MemoryTree,
  wish: TextWish,
  shown: (path: string) => string,
): Promise<PlannedChange | null> {
  const { command, path, oldContent = null, create, maxFileBytes } = wish;
  if (tree.isDirectory(path)) throw pathIsDirectory();
  const before = tree.files.get(path)?.content ?? null;
  if (before === null && !create) throw fileNotFound();
  if (before !== null && wish.isNew === true) throw alreadyExists();
  if (parentsOf(path).some((parent) => tree.files.has(parent))) throw parentIsFile();
  const content = await wish.contentFor(before);
  const { text: after, replaced } = textAfter({ command, oldContent }, before, content, maxFileBytes);
  if (after === before) return null;
  const base = { command, path, to: null, content, oldContent, before, after, isDirectory: false };
  const counts = replaced === undefined ? {} : { replaced };
  return { ...base, base: baseOf(tree, base), diff: await shownChange(shown(path), before, after), counts };
}

/** What a command makes of a text. @throws EFBIG */
export function textAfter(
  { command, oldContent }: Pick<PlannedChange, "command" | "oldContent">,
  before: string | null,
  content: string,
  maxFileBytes: number,
): { text: string; replaced?: number } {
  if (command === "append") return { text: appendText(before ?? "", content) };
  if (command === "update") return replaceText(before ?? "", oldContent ?? "", content, maxFileBytes);
  return { text: content };
}

/** @returns null for a missing path. @throws EISDIR */
export async function planDelete(
  tree: MemoryTree,
  path: string,
  ifDirectory: "delete" | "fail",
  shown: (path: string) => string,
): Promise<PlannedChange | null> {
  const isDirectory = tree.isDirectory(path);
  if (isDirectory && ifDirectory === "fail") throw pathIsDirectory();
  const { files, directories } = tree.within(path);
  if (files.length + directories.length === 0) return null;
  const [file] = files;
  const diff =
    isDirectory || file === undefined
      ? shownDiff(listed("-", files, directories, shown))
      : await shownChange(shown(path), file.content, null);
  const counts = { files: files.length, dirs: directories.length };
  return treeChange(tree, { command: "delete", path, to: null, isDirectory }, diff, counts);
}

/** @throws ENOENT, EEXIST, ENOTDIR */
export function planRename(tree: MemoryTree, path: string, to: string, shown: (path: string) => string): PlannedChange {
  const { files, directories } = tree.within(path);
  if (files.length + directories.length === 0) throw fileNotFound();
  if (tree.stat(to) !== null) throw alreadyExists();
  if (parentsOf(to).some((parent) => tree.files.has(parent))) throw parentIsFile();
  const moved = (each: string): string => shown(to + each.slice(path.length));
  const diff = `rename from ${shown(path)}\nrename to ${shown(to)}\n${listed("-", files, directories, shown)}${listed("+", files, directories, moved)}`;
  return treeChange(tree, { command: "rename", path, to, isDirectory: tree.isDirectory(path) }, shownDiff(diff), {});
}

function treeChange(
  tree: MemoryTree,
  what: Pick<PlannedChange, "command" | "path" | "to" | "isDirectory">,
  diff: string,
  counts: PlannedChange["counts"],
): PlannedChange {
  return {
    ...what,
    content: null,
    oldContent: null,
    before: null,
    after: null,
    base: baseOf(tree, what),
    diff,
    counts,
  };
}

function listed(
  sign: string,
  files: readonly SnapshotFile[],
  directories: readonly string[],
  shown: (path: string) => string,
): string {
  const lines = [
    ...files.map(({ path, sizeBytes }) => [path, `${shown(path)} (${sizeBytes} bytes)`]),
    ...directories.map((path) => [path, `${shown(path)}/`]),
  ];
  return lines
    .toSorted(([a = ""], [b = ""]) => compareCodeUnits(a, b))
    .map(([, line = ""]) => `${sign} ${line.replaceAll("\n", "\\n")}\n`)
    .join("");
}

/** A digest of all that a change was made against: while it is the same, the change would be the same. */
export function baseOf(
  tree: MemoryTree,
  { command, path, to }: Pick<PlannedChange, "command" | "path" | "to">,
): string {
  if (command !== "delete" && command !== "rename")
    return digestOf(tree.isDirectory(path) ? ["directory"] : (tree.files.get(path)?.content ?? null));
  const { files, directories } = tree.within(path);
  const texts = files.map((file) => [file.path, file.content] as const).toSorted(([a], [b]) => compareCodeUnits(a, b));
  return digestOf([texts, directories.toSorted(compareCodeUnits), to !== null && tree.stat(to) !== null]);
}

function digestOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex");
}
