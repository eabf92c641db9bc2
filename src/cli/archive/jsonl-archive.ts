import { constants } from "node:fs";
import { type FileHandle, lstat, mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import type { ArchivedHistory } from "../../core/history/archived-version.js";
import { sha256Of } from "../../core/values/sha256.js";
import { CommandFault, inputFault, withFile } from "../fault.js";
import type { CliIo } from "../terminal/io.js";
import { decodeUtf8 } from "../terminal/text-input.js";
import { revisionField, versionSchema } from "./archived-history.js";
import type { ExportCounts } from "./folder-archive.js";
import { checkedHistory, exportAdvice } from "./history-check.js";
import { readLines } from "./json-lines.js";
import {
  addressField,
  addressFrom,
  archiveFormat,
  archiveVersions,
  fileFields,
  headerFields,
  parsedAs,
} from "./manifest.js";
import { checkTree, type FileContent, type Tree, type TreeFile } from "./tree.js";
import { VersionLines } from "./version-lines.js";
import { writeWhole } from "./whole-file.js";

const headerSchema = z.object(headerFields).strict();
const fileSchema = z.object({ address: addressField, ...fileFields, content: z.string() }).strict();
const directorySchema = z.object({ address: addressField, directory: z.string() }).strict();
const memorySchema = z
  .object({ address: addressField, memory: z.literal(true), revision: revisionField.optional() })
  .strict();
const versionLineSchema = z.object({ address: addressField, version: versionSchema }).strict();
const endSchema = z.object({ end: z.literal(true), lines: z.number().int().min(1) }).strict();

const openingBrace = 0x7b;

export interface JsonlExportOptions {
  onTree: (files: number) => void;
  onFile: () => void;
  /** Whether memories come with their histories. */
  history: boolean;
}

/**
 * One line says the format, one for each memory, directory, file and version what it is, and the last how many there
 * are.
 */
export async function exportToJsonl(
  trees: AsyncIterable<Tree>,
  write: (text: string) => Promise<unknown>,
  { onTree, onFile, history: isWithHistory }: JsonlExportOptions,
): Promise<ExportCounts> {
  let lines = 0;
  const line = (value: object): Promise<unknown> => {
    lines += 1;
    return write(`${JSON.stringify(value)}\n`);
  };
  const counts: ExportCounts = { memories: 0, written: 0, unchanged: 0, versions: 0 };
  await line({ format: archiveFormat, version: isWithHistory ? archiveVersions.withHistory : archiveVersions.plain });
  for await (const tree of trees) {
    const { address, directories, files, history } = tree;
    onTree(files.length);
    await line({ address, memory: true, revision: history?.revision });
    for (const directory of directories) await line({ address, directory });
    for (const { path, load } of files) {
      const { content, createdAt, updatedAt } = await load();
      const sizeBytes = Buffer.byteLength(content);
      await line({ address, path, sizeBytes, sha256: sha256Of(content), createdAt, updatedAt, content });
      counts.written += 1;
      onFile();
    }
    counts.versions += (
      await checkedHistory(tree, exportAdvice(address), async (version) => void (await line({ address, version })))
    ).versions;
    counts.memories += 1;
  }
  await line({ end: true, lines: lines + 1 });
  return counts;
}

/** Makes a file by `run`, which takes its place when it is complete. @throws CommandFault */
export async function writeWholeFile<T>(
  file: string,
  overwrite: boolean,
  run: (write: (text: string) => Promise<unknown>) => Promise<T>,
): Promise<T> {
  return withFile(file, "write", async () => {
    if (!overwrite) await assertFree(file);
    return writeWhole(file, (handle) => run((text) => handle.writeFile(text)));
  });
}

async function assertFree(file: string): Promise<void> {
  const found = await lstat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });
  if (found !== null)
    throw new CommandFault("EEXIST", `${file}: it is there already; pass --overwrite to replace it, or name another`);
}

/** Opens an archive, and closes it after `run`. @throws CommandFault EINPUT */
export async function withJsonlFile<T>(file: string, run: (trees: Tree[]) => Promise<T>): Promise<T> {
  const handle = await withFile(file, "read", () => open(file, constants.O_RDONLY | constants.O_NONBLOCK));
  try {
    // It may be another one by now than when it was looked at.
    if (!(await handle.stat()).isFile())
      throw inputFault(`${file}: it is no regular file; name one that export has made`);
    return await run(await readJsonlArchive(handle, file));
  } finally {
    await handle.close();
  }
}

/**
 * The same for the standard input, which is kept in a file meanwhile, as all of it is checked before any of it is used.
 */
export async function withJsonlInput<T>(stdin: CliIo["stdin"], run: (trees: Tree[]) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), "langgraph-mongo-memory-"));
  const file = join(directory, "input.jsonl");
  const handle = await open(file, "wx+", 0o600);
  try {
    // The open file has no name from here on and is gone when the process ends. Some systems cannot do that: see
    // `finally`.
    await rm(directory, { recursive: true }).catch(() => undefined);
    let isFirst = true;
    for await (const chunk of stdin) {
      const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
      // An input that is no archive may never end.
      if (isFirst && bytes.length > 0 && bytes[0] !== openingBrace)
        throw inputFault("standard input: line 1: not JSON; it must be as export writes it");
      isFirst &&= bytes.length === 0;
      await handle.write(bytes);
    }
    return await run(await readJsonlArchive(handle, "standard input"));
  } finally {
    await handle.close();
    await rm(directory, { recursive: true, force: true });
  }
}

async function readJsonlArchive(handle: FileHandle, name: string): Promise<Tree[]> {
  const trees = new Map<string, ReadTree>();
  let lines = 0;
  let ended = false;
  for await (const { bytes, offset, number } of readLines(handle, name)) {
    const where = `${name}: line ${number}`;
    const text = decodeUtf8(bytes, where);
    if (ended) throw inputFault(`${where}: there is more after the end; one archive at a time`);
    lines = number;
    if (number === 1) parsedAs(headerSchema, text, where);
    else if (text.startsWith('{"end":')) {
      ended = true;
      if (parsedAs(endSchema, text, where).lines !== number)
        throw inputFault(`${where}: lines are missing before it, or too many; export it again`);
    } else addLine(trees, text, where, { handle, offset, length: bytes.length });
  }
  if (lines === 0) throw inputFault(`${name}: it is empty; it must be as export --format jsonl writes it`);
  if (!ended) throw inputFault(`${name}: it ends after line ${lines}, before its last line; export or copy it again`);
  for (const tree of trees.values()) checkTree(tree, name);
  return Array.from(trees.values(), (tree) => withHistory(tree, name));
}

interface Place {
  handle: FileHandle;
  offset: number;
  length: number;
}

/** What the lines of a memory say. */
interface ReadTree extends Omit<Tree, "history"> {
  revision: number | null;
  versions: VersionLines<{ place: Place; where: string }>;
}

function withHistory({ revision, versions, ...tree }: ReadTree, name: string): Tree {
  if (revision === null && versions.count > 0)
    throw inputFault(`${name}: there are versions of a memory whose own line has no revision; export it again`);
  const passOn = async (
    lines: ReturnType<typeof versions.all>,
    use: Parameters<ArchivedHistory["each"]>[0],
  ): Promise<void> => {
    for (const { place, where } of lines)
      await use(parsedAs(versionLineSchema, await textAt(place, where), where).version);
  };
  const history =
    revision === null
      ? null
      : ({
          revision,
          each: (use) => passOn(versions.all(), use),
          eachOf: (files, use) => passOn(versions.of(files), use),
        } satisfies ArchivedHistory);
  return { ...tree, history };
}

function addLine(trees: Map<string, ReadTree>, text: string, where: string, place: Place): void {
  if (text.includes('"content":')) {
    const { address, path, sizeBytes } = parsedFile(text, where);
    treeIn(trees, address, where).files.push({
      path,
      sizeBytes,
      load: () => loadLine(place, where),
    } satisfies TreeFile);
  } else if (text.includes('"version":')) {
    const { address, version } = parsedAs(versionLineSchema, text, where);
    treeIn(trees, address, where).versions.add(version.file, { place, where });
  } else if (text.includes('"directory":')) {
    const { address, directory } = parsedAs(directorySchema, text, where);
    treeIn(trees, address, where).directories.push(directory);
  } else {
    const { address, revision } = parsedAs(memorySchema, text, where);
    const tree = treeIn(trees, address, where);
    tree.revision = revision ?? tree.revision;
  }
}

function treeIn(trees: Map<string, ReadTree>, value: unknown, where: string): ReadTree {
  const address = addressFrom(value, where);
  const key = JSON.stringify(address);
  const tree = trees.get(key) ?? { address, directories: [], files: [], revision: null, versions: new VersionLines() };
  trees.set(key, tree);
  return tree;
}

function parsedFile(text: string, where: string): z.infer<typeof fileSchema> {
  const file = parsedAs(fileSchema, text, where);
  if (!file.content.isWellFormed())
    throw inputFault(`${where}: content: it holds a lone surrogate; a memory holds well-formed text only`);
  if (Buffer.byteLength(file.content) !== file.sizeBytes || sha256Of(file.content) !== file.sha256) {
    throw inputFault(`${where}: the content is not what sizeBytes and sha256 say; export it again`);
  }
  return file;
}

async function textAt({ handle, offset, length }: Place, where: string): Promise<string> {
  const bytes = Buffer.alloc(length);
  await withFile(where, "read", () => handle.read(bytes, 0, length, offset));
  return decodeUtf8(bytes, where);
}

async function loadLine(place: Place, where: string): Promise<FileContent> {
  const { content, createdAt, updatedAt } = parsedFile(await textAt(place, where), where);
  return { content, createdAt: new Date(createdAt), updatedAt: new Date(updatedAt) };
}
