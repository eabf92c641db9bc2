import { constants } from "node:fs";
import { type FileHandle, mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inputError, withFile } from "../errors.js";
import type { CliIo } from "../terminal/io.js";
import { toBytes } from "../terminal/text-input.js";
import { type ArchiveSource, readTrees } from "./archived-trees.js";
import { readChunks } from "./json-lines.js";
import type { Tree } from "./tree.js";

/** An archive that is checked. */
export interface Archive {
  /** How many memories it holds. */
  memories: number;
  /** Reads them again, one at a time: all of them may be more than the process can hold. */
  trees: () => AsyncIterable<Tree>;
}

/**
 * Opens an archive, and closes it after `run`. All of it is checked before, up to the first fault.
 * @throws CommandError EINPUT
 */
export async function withArchiveFile<T>(file: string, run: (archive: Archive) => Promise<T>): Promise<T> {
  const handle = await withFile(file, "read", () => open(file, constants.O_RDONLY | constants.O_NONBLOCK));
  try {
    const stats = await handle.stat();
    if (stats.isDirectory())
      throw inputError(
        `${file}: it is a folder, and an export is one JSONL file; name a file, or use \`copy --dir\` for a folder of texts`,
      );
    if (!stats.isFile())
      throw inputError(`${file}: it is no regular file; name one that export has made, or - for the standard input`);
    return await run(await checkArchive(readChunks(handle, file), { handle, name: file }));
  } finally {
    await handle.close();
  }
}

/** The same for the standard input. A file keeps what was read of it. */
export async function withArchiveInput<T>(stdin: CliIo["stdin"], run: (archive: Archive) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), "langgraph-mongo-memory-"));
  const handle = await open(join(directory, "input.jsonl"), "wx+", 0o600);
  try {
    // Without a name the open file is gone when the process ends. Some systems cannot do that: see `finally`.
    await rm(directory, { recursive: true }).catch(() => undefined);
    return await run(await checkArchive(keepChunks(stdin, handle), { handle, name: "standard input" }));
  } finally {
    await handle.close();
    await rm(directory, { recursive: true, force: true });
  }
}

/** Writes each piece to a file before it is used. */
async function* keepChunks(stdin: CliIo["stdin"], handle: FileHandle): AsyncGenerator<Uint8Array> {
  for await (const chunk of stdin) {
    const bytes = toBytes(chunk);
    await handle.writeFile(bytes);
    yield bytes;
  }
}

async function checkArchive(chunks: AsyncIterable<Uint8Array>, source: ArchiveSource): Promise<Archive> {
  let memories = 0;
  for await (const _tree of readTrees(chunks, source)) memories += 1;
  return { memories, trees: () => readTrees(readChunks(source.handle, source.name), source) };
}
