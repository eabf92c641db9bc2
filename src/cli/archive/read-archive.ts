import { constants } from "node:fs";
import { type FileHandle, mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ArchivedVersion } from "../../core/history/archived-version.js";
import { hashSha256 } from "../../core/values/sha256.js";
import { groupBy } from "../collections.js";
import { inputError, withFile } from "../errors.js";
import type { CliIo } from "../terminal/io.js";
import { decodeUtf8, toBytes } from "../terminal/text-input.js";
import {
  directorySchema,
  endSchema,
  fileSchema,
  headerSchema,
  memorySchema,
  parseAddress,
  parseJson,
  parseLine,
  versionSchema,
} from "./archive-format.js";
import { readLines } from "./json-lines.js";
import { checkTree, type FileContent, type Tree } from "./tree.js";

const openingBrace = 0x7b;

/** Opens an archive, and closes it after `run`. All of it is checked before. @throws CommandError EINPUT */
export async function withArchiveFile<T>(file: string, run: (trees: Tree[]) => Promise<T>): Promise<T> {
  const handle = await withFile(file, "read", () => open(file, constants.O_RDONLY | constants.O_NONBLOCK));
  try {
    const stats = await handle.stat();
    if (stats.isDirectory())
      throw inputError(
        `${file}: it is a folder, and an export is one JSONL file; name a file, or use \`copy --dir\` for a folder of texts`,
      );
    if (!stats.isFile())
      throw inputError(`${file}: it is no regular file; name one that export has made, or - for the standard input`);
    return await run(await readArchive(handle, file));
  } finally {
    await handle.close();
  }
}

/** The same for the standard input. A file keeps it until all of it is checked. */
export async function withArchiveInput<T>(stdin: CliIo["stdin"], run: (trees: Tree[]) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), "langgraph-mongo-memory-"));
  const handle = await open(join(directory, "input.jsonl"), "wx+", 0o600);
  try {
    // Without a name the open file is gone when the process ends. Some systems cannot do that: see `finally`.
    await rm(directory, { recursive: true }).catch(() => undefined);
    let isFirst = true;
    for await (const chunk of stdin) {
      const bytes = toBytes(chunk);
      // An input that is no archive may never end.
      if (isFirst && bytes.length > 0 && bytes[0] !== openingBrace)
        throw inputError("standard input: line 1: not JSON; it must be as export writes it");
      isFirst &&= bytes.length === 0;
      await handle.write(bytes);
    }
    return await run(await readArchive(handle, "standard input"));
  } finally {
    await handle.close();
    await rm(directory, { recursive: true, force: true });
  }
}

/** Where a line of the archive is. Texts and versions are read again when they are used. */
interface LinePosition {
  handle: FileHandle;
  offset: number;
  length: number;
  /** For errors. */
  where: string;
}

/** A memory, as far as its lines are read. */
interface ReadTree extends Omit<Tree, "history"> {
  revision?: number | undefined;
  /** Newest first. */
  versions: { file: string | undefined; position: LinePosition }[];
}

async function readArchive(handle: FileHandle, name: string): Promise<Tree[]> {
  const trees = new Map<string, ReadTree>();
  let lines = 0;
  let hasEnded = false;
  for await (const { bytes, offset, number } of readLines(handle, name)) {
    const where = `${name}: line ${number}`;
    const line = parseJson(decodeUtf8(bytes, where), where);
    if (hasEnded) throw inputError(`${where}: there is more after the end; one archive at a time`);
    lines = number;
    if (number === 1) parseLine(headerSchema, line, where);
    else if (isRecord(line) && "end" in line) {
      hasEnded = true;
      if (parseLine(endSchema, line, where).lines !== number)
        throw inputError(`${where}: lines are missing before it, or too many; export it again`);
    } else addLine(trees, line, { handle, offset, length: bytes.length, where });
  }
  if (lines === 0) throw inputError(`${name}: it is empty; it must be as export writes it`);
  if (!hasEnded)
    throw inputError(`${name}: it ends after line ${lines}, before its last line; export or copy it again`);
  for (const tree of trees.values()) checkTree(tree, name);
  return Array.from(trees.values(), (tree) => withHistory(tree, name));
}

function addLine(trees: Map<string, ReadTree>, line: unknown, position: LinePosition): void {
  const { where } = position;
  const kinds = isRecord(line) ? line : {};
  if ("content" in kinds) {
    const { address, path, sizeBytes } = parseFile(line, where);
    const load = async (): Promise<FileContent> => parseFile(await readLine(position), where);
    getTree(trees, address, where).files.push({ path, sizeBytes, load });
  } else if ("version" in kinds) {
    const { address, version } = parseLine(versionSchema, line, where);
    getTree(trees, address, where).versions.push({ file: version.file, position });
  } else if ("directory" in kinds) {
    const { address, directory } = parseLine(directorySchema, line, where);
    getTree(trees, address, where).directories.push(directory);
  } else {
    const { address, revision } = parseLine(memorySchema, line, where);
    const tree = getTree(trees, address, where);
    tree.revision = revision ?? tree.revision;
  }
}

function isRecord(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function getTree(trees: Map<string, ReadTree>, value: unknown, where: string): ReadTree {
  const address = parseAddress(value, where);
  const key = JSON.stringify(address);
  const tree = trees.get(key) ?? { address, directories: [], files: [], versions: [] };
  trees.set(key, tree);
  return tree;
}

function parseFile(line: unknown, where: string): ReturnType<typeof fileSchema.parse> {
  const file = parseLine(fileSchema, line, where);
  if (Buffer.byteLength(file.content) === file.sizeBytes && hashSha256(file.content) === file.sha256) return file;
  throw inputError(`${where}: the content is not what sizeBytes and sha256 say; export it again`);
}

async function readLine({ handle, offset, length, where }: LinePosition): Promise<unknown> {
  const bytes = Buffer.alloc(length);
  await withFile(where, "read", () => handle.read(bytes, 0, length, offset));
  return parseJson(decodeUtf8(bytes, where), where);
}

function withHistory({ revision, versions, ...tree }: ReadTree, name: string): Tree {
  if (revision === undefined) {
    if (versions.length === 0) return { ...tree, history: null };
    throw inputError(`${name}: there are versions of a memory whose own line has no revision; export it again`);
  }
  const byFile = groupBy(versions, ({ file }) => file);
  return {
    ...tree,
    history: {
      revision,
      each: (use) => readVersions(versions, use),
      eachOf: (files, use) =>
        readVersions(
          files.flatMap((file) => byFile.get(file) ?? []),
          use,
        ),
    },
  };
}

async function readVersions(
  versions: ReadTree["versions"],
  use: (version: ArchivedVersion) => Promise<void> | void,
): Promise<void> {
  for (const { position } of versions)
    await use(parseLine(versionSchema, await readLine(position), position.where).version);
}
