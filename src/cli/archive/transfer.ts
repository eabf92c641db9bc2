import { alreadyExists, fileTooLarge, memoryFull } from "../../core/values/errors.js";
import type { Memory } from "../../core/memory.js";
import { memoryBytesCeiling } from "../../core/memory-options.js";
import { creationFault } from "../../core/values/paths.js";
import { utf8Bytes } from "../../core/values/text.js";
import { about, CommandFault } from "../fault.js";
import type { OpenMemory } from "../targets/open-target.js";
import { folderFault } from "./folder-names.js";
import { restorable, restore, type Restored } from "./restore.js";
import { type FileContent, readTree, type Tree, type TreeFile, withTree } from "./tree.js";

/** What to do to make a memory hold all of a tree. */
export interface TransferPlan {
  open: OpenMemory;
  writes: { file: TreeFile; replaces: boolean }[];
  /** Those without anything in them; the others come with their files. */
  directories: string[];
  /** Of a run that ended while it made a directory. */
  leftovers: string[];
  unchanged: number;
  /** With its history: all of a memory that is not there yet, in place of the rest. */
  restored: Restored | null;
}

export interface TransferCounts {
  /** Files that are new. */
  written: number;
  replaced: number;
  /** Files that were there already, equal. */
  unchanged: number;
}

/**
 * A directory is made by a file in it, which is then removed; the shortest name there is fits wherever a directory
 * does.
 */
const placeholderName = "~";
const placeholderText = "Left behind by a copy that was broken off; it may be deleted.\n";
const placeholderBytes = utf8Bytes(placeholderText);

/** Decides everything before anything is written. @throws CommandFault for whatever the memory cannot take */
export async function planTransfer(tree: Tree, open: OpenMemory, overwrite: boolean): Promise<TransferPlan> {
  if (tree.history !== null) return planRestore(tree, open);
  return withTree(
    () => about(open.name, () => readTree(open)),
    (there) => planAdditions(tree, there, open, overwrite),
  );
}

async function planAdditions(tree: Tree, there: Tree, open: OpenMemory, overwrite: boolean): Promise<TransferPlan> {
  const filesThere = new Map(there.files.map((file) => [file.path, file]));
  const directoriesThere = new Set(there.directories);
  const directories = emptyDirectoriesOf(tree);
  const leftovers = await leftoversIn(directories, filesThere);
  for (const path of tree.directories) {
    checkNew(path, directoriesThere, open);
    if (filesThere.has(path)) throw taken(path, "a file", "a directory", open);
  }
  const plan: TransferPlan = {
    open,
    writes: [],
    directories: directories.filter((path) => !directoriesThere.has(path)),
    leftovers,
    unchanged: 0,
    restored: null,
  };
  const different: string[] = [];
  for (const file of tree.files) {
    checkSize(file, open);
    checkNew(file.path, filesThere, open);
    if (directoriesThere.has(file.path)) throw taken(file.path, "a directory", "a file", open);
    const found = filesThere.get(file.path);
    if (found === undefined) plan.writes.push({ file, replaces: false });
    else if (await isEqual(file, found)) plan.unchanged += 1;
    else {
      different.push(file.path);
      plan.writes.push({ file, replaces: true });
    }
  }
  checkParents(tree, filesThere, open);
  checkFolderNames(tree, there, open);
  if (different.length > 0 && !overwrite) throw conflict(different, open);
  if (open.isOneDocument) checkTotal([...there.files, ...plan.writes.map(({ file }) => file)], open);
  return plan;
}

/** @throws CommandFault for whatever is no history, or where there is another memory */
async function planRestore(tree: Tree, open: OpenMemory): Promise<TransferPlan> {
  const plan: TransferPlan = { open, writes: [], directories: [], leftovers: [], unchanged: 0, restored: null };
  for (const path of [...tree.files.map((file) => file.path), ...tree.directories]) checkNew(path, new Set(), open);
  for (const file of tree.files) checkSize(file, open);
  const writes = tree.files.map((file) => ({ file, replaces: false }));
  if (open.isOneDocument) checkTotal(tree.files, open);
  const restored = await restorable(tree, open);
  if (restored !== null) return { ...plan, writes, restored };
  return { ...plan, unchanged: tree.files.length };
}

/** A file appears whole or not at all; run again after a failure, it goes on where it ended. */
export async function carryOut(
  { open, writes, directories, leftovers, unchanged, restored }: TransferPlan,
  onFile: () => void,
): Promise<TransferCounts> {
  const counts: TransferCounts = { written: 0, replaced: 0, unchanged };
  if (restored !== null) {
    await restore(open, restored);
    for (const _ of writes) onFile();
    return { ...counts, written: writes.length };
  }
  const { memory } = open;
  for (const { file, replaces } of writes) {
    const loaded = await file.load();
    await about(`${open.name}: ${file.path}`, () => writeFile(open, file.path, loaded, replaces));
    counts[replaces ? "replaced" : "written"] += 1;
    onFile();
  }
  for (const path of directories) await about(`${open.name}: ${path}`, () => makeDirectory(memory, path));
  for (const path of leftovers) await about(`${open.name}: ${path}`, () => memory.delete(path));
  return counts;
}

async function writeFile(
  { memory, dated }: OpenMemory,
  path: string,
  { content, createdAt, updatedAt }: FileContent,
  replaces: boolean,
): Promise<void> {
  const ifExists = replaces ? "replace" : "fail";
  if (dated === null) await memory.write(path, content, { ifExists });
  else if (replaces || createdAt.getTime() === updatedAt.getTime())
    await dated(updatedAt).write(path, content, { ifExists });
  else {
    await dated(createdAt).write(path, content, { ifExists });
    await dated(updatedAt).edit(path, (text) => {
      // Somebody else has changed it in between, and that change stays.
      if (text !== content) throw alreadyExists();
      return content;
    });
  }
}

async function makeDirectory(memory: Memory, directory: string): Promise<void> {
  const placeholder = `${directory}/${placeholderName}`;
  await memory.write(placeholder, placeholderText, { ifExists: "fail" });
  await memory.delete(placeholder);
}

function emptyDirectoriesOf({ directories, files }: Tree): string[] {
  const parents = new Set(
    [...files.map(({ path }) => path), ...directories].map((path) => path.slice(0, path.lastIndexOf("/"))),
  );
  return directories.filter((path) => !parents.has(path));
}

async function leftoversIn(directories: readonly string[], files: ReadonlyMap<string, TreeFile>): Promise<string[]> {
  const leftovers: string[] = [];
  for (const directory of directories) {
    const file = files.get(`${directory}/${placeholderName}`);
    if (file?.sizeBytes === placeholderBytes && (await file.load()).content === placeholderText)
      leftovers.push(file.path);
  }
  return leftovers;
}

async function isEqual(file: TreeFile, other: TreeFile): Promise<boolean> {
  if (file.sizeBytes !== other.sizeBytes) return false;
  const [a, b] = [await file.load(), await other.load()];
  return a.content === b.content;
}

/** What is there may have any name; what is new follows the rule. */
function checkNew(path: string, there: { has(path: string): boolean }, { name, paths }: OpenMemory): void {
  const fault = there.has(path) ? null : creationFault(path, paths);
  if (fault)
    throw new CommandFault(fault.code, `${name}: ${path}: ${fault.message}; rename it in the source`, { cause: fault });
}

function checkSize({ path, sizeBytes }: TreeFile, { name }: OpenMemory): void {
  if (sizeBytes <= memoryBytesCeiling) return;
  const { code, message } = fileTooLarge(sizeBytes, memoryBytesCeiling);
  throw new CommandFault(code, `${name}: ${path}: ${message}`);
}

function checkParents({ files, directories }: Tree, filesThere: ReadonlyMap<string, TreeFile>, open: OpenMemory): void {
  if (filesThere.size === 0) return;
  for (const path of [...files.map((file) => file.path), ...directories]) {
    for (let end = path.indexOf("/", 1); end !== -1; end = path.indexOf("/", end + 1)) {
      if (filesThere.has(path.slice(0, end))) throw taken(path.slice(0, end), "a file", "a directory", open);
    }
  }
}

function checkFolderNames(tree: Tree, there: Tree, { kind, name }: OpenMemory): void {
  if (kind !== "folder") return;
  const pathsOf = ({ files, directories }: Tree): string[] => [...files.map(({ path }) => path), ...directories];
  const found = folderFault(pathsOf(there), pathsOf(tree));
  if (found !== null)
    throw new CommandFault(
      found.fault.code,
      `${name}: ${found.path}: ${found.fault.message}; rename it in the source, or use export`,
    );
}

/** A lower bound: keys and times come on top, which the storage counts. @param files of one path the last counts */
function checkTotal(files: readonly TreeFile[], { name }: OpenMemory): void {
  const sizes = new Map(files.map(({ path, sizeBytes }) => [path, sizeBytes]));
  const total = [...sizes.values()].reduce((sum, sizeBytes) => sum + sizeBytes, 0);
  if (total <= memoryBytesCeiling) return;
  const { code, message } = memoryFull(total, memoryBytesCeiling);
  throw new CommandFault(code, `${name}: ${message}`);
}

function taken(path: string, there: string, wanted: string, { name }: OpenMemory): CommandFault {
  const code = there === "a file" ? "ENOTDIR" : "EISDIR";
  return new CommandFault(
    code,
    `${name}: ${path} is ${there} there and ${wanted} in the source; move or remove one of them`,
  );
}

function conflict(different: readonly string[], { name }: OpenMemory): CommandFault {
  const others = different.length === 1 ? "" : ` and ${different.length - 1} more`;
  return new CommandFault(
    "EEXIST",
    `${name}: ${different[0]}${others} would be replaced by other contents; pass --overwrite if that is meant`,
  );
}
