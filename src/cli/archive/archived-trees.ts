import type { FileHandle } from "node:fs/promises";
import type { ArchivedVersion } from "../../core/history/archived-version.js";
import { hashSha256 } from "../../core/values/sha256.js";
import { isObject } from "../../core/values/unknown-values.js";
import { groupBy } from "../collections.js";
import { inputError, withFile } from "../errors.js";
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
import { type LinePosition, readLines } from "./json-lines.js";
import { checkTree, type FileContent, type Tree } from "./tree.js";

/** Where the lines of an archive are. Texts and versions are read again when they are used. */
export interface ArchiveSource {
  handle: FileHandle;
  name: string;
}

/** A memory, as far as its lines are read. */
interface ReadTree extends Omit<Tree, "history"> {
  /** The same for the same address only. */
  key: string;
  lines: number;
  revision?: number | undefined;
  /** Newest first. */
  versions: { file: string | undefined; position: LinePosition }[];
}

/** What a line says of a memory. */
interface Entry {
  address: unknown;
  addTo: (tree: ReadTree) => void;
}

/** The most lines of one memory. The process keeps the position of each line, in some hundred bytes. */
const mostLines = 2_000_000;

/**
 * The memories of an archive, each checked when all its lines are read. Stops at the first fault.
 * @throws CommandError EINPUT
 */
export async function* readTrees(
  chunks: AsyncIterable<Uint8Array>,
  source: ArchiveSource,
  maxLines: number = mostLines,
): AsyncGenerator<Tree> {
  const { name } = source;
  const keys = new Set<string>();
  let tree: ReadTree | null = null;
  let lines = 0;
  let hasEnded = false;
  for await (const { bytes, ...position } of readLines(chunks, name)) {
    const where = describePlace(source, position);
    const line = parseJson(bytes, where);
    if (hasEnded) throw inputError(`${where}: there is more after the end; one archive at a time`);
    lines = position.number;
    if (lines === 1) parseLine(headerSchema, line, where);
    else if (isObject(line) && "end" in line) {
      hasEnded = true;
      if (parseLine(endSchema, line, where).lines !== lines)
        throw inputError(`${where}: lines are missing before it, or too many; export it again`);
    } else {
      const { address, addTo } = parseEntry(line, source, position);
      const next: ReadTree = selectTree(tree, address, where);
      if (next !== tree) {
        if (tree !== null) yield finishTree(tree, source);
        if (keys.has(next.key))
          throw inputError(`${where}: it is of a memory whose other lines came before; export it again`);
        keys.add(next.key);
        tree = next;
      }
      addTo(next);
      next.lines += 1;
      if (next.lines > maxLines)
        throw inputError(`${where}: the memory has more than ${maxLines} lines; leave its history out, or use copy`);
    }
  }
  if (lines === 0) throw inputError(`${name}: it is empty; it must be as export writes it`);
  if (!hasEnded)
    throw inputError(`${name}: it ends after line ${lines}, before its last line; export or copy it again`);
  if (tree !== null) yield finishTree(tree, source);
}

function parseEntry(line: unknown, source: ArchiveSource, position: LinePosition): Entry {
  const where = describePlace(source, position);
  const kinds = isObject(line) ? line : {};
  if ("content" in kinds) {
    const { address, path, sizeBytes } = parseFile(line, where);
    const load = async (): Promise<FileContent> =>
      parseFile(await readLine(source, position), describePlace(source, position));
    return { address, addTo: ({ files }) => void files.push({ path, sizeBytes, load }) };
  }
  if ("version" in kinds) {
    const { address, version } = parseLine(versionSchema, line, where);
    return { address, addTo: ({ versions }) => void versions.push({ file: version.file, position }) };
  }
  if ("directory" in kinds) {
    const { address, directory } = parseLine(directorySchema, line, where);
    return { address, addTo: ({ directories }) => void directories.push(directory) };
  }
  const { address, revision } = parseLine(memorySchema, line, where);
  return { address, addTo: (tree) => (tree.revision = revision ?? tree.revision) };
}

/** The lines of a memory follow one another. */
function selectTree(current: ReadTree | null, value: unknown, where: string): ReadTree {
  const address = parseAddress(value, where);
  // Short, because an archive may hold very many memories.
  const key = hashSha256(JSON.stringify(address)).slice(0, 32);
  if (current?.key === key) return current;
  return { address, key, lines: 0, directories: [], files: [], versions: [] };
}

function parseFile(line: unknown, where: string): ReturnType<typeof fileSchema.parse> {
  const file = parseLine(fileSchema, line, where);
  if (Buffer.byteLength(file.content) === file.sizeBytes && hashSha256(file.content) === file.sha256) return file;
  throw inputError(`${where}: the content is not what sizeBytes and sha256 say; export it again`);
}

function describePlace({ name }: ArchiveSource, { number }: LinePosition): string {
  return `${name}: line ${number}`;
}

async function readLine(source: ArchiveSource, position: LinePosition): Promise<unknown> {
  const { offset, length } = position;
  const where = describePlace(source, position);
  const bytes = Buffer.alloc(length);
  await withFile(where, "read", () => source.handle.read(bytes, 0, length, offset));
  return parseJson(bytes, where);
}

/** @throws CommandError EINPUT for what is no memory */
function finishTree({ revision, versions, address, files, directories }: ReadTree, source: ArchiveSource): Tree {
  const { name } = source;
  const tree = { address, files, directories };
  checkTree(tree, name);
  if (revision === undefined) {
    if (versions.length === 0) return { ...tree, history: null };
    throw inputError(`${name}: there are versions of a memory whose own line has no revision; export it again`);
  }
  const byFile = groupBy(versions, ({ file }) => file);
  const readVersions = async (
    some: ReadTree["versions"],
    use: (version: ArchivedVersion) => Promise<void> | void,
  ): Promise<void> => {
    for (const { position } of some)
      await use(parseLine(versionSchema, await readLine(source, position), describePlace(source, position)).version);
  };
  return {
    ...tree,
    history: {
      revision,
      each: (use) => readVersions(versions, use),
      eachOf: (some, use) =>
        readVersions(
          some.flatMap((file) => byFile.get(file) ?? []),
          use,
        ),
    },
  };
}
