import { lstat } from "node:fs/promises";
import { hashSha256 } from "../../core/values/sha256.js";
import { CommandError, withFile } from "../errors.js";
import type { Progress } from "../terminal/progress.js";
import { archiveHeader } from "./archive-format.js";
import { checkHistory, exportAdvice } from "./history-check.js";
import type { Tree } from "./tree.js";
import { writeWholeFile } from "./whole-file.js";

export interface ExportCounts {
  memories: number;
  files: number;
  versions: number;
}

export async function writeArchive(
  trees: AsyncIterable<Tree>,
  write: (text: string) => Promise<unknown>,
  progress: Progress,
): Promise<ExportCounts> {
  const counts: ExportCounts = { memories: 0, files: 0, versions: 0 };
  let lines = 0;
  const writeLine = async (line: object): Promise<void> => {
    lines += 1;
    await write(`${JSON.stringify(line)}\n`);
  };
  await writeLine(archiveHeader);
  for await (const tree of trees) {
    const { address, directories, files, history } = tree;
    progress.total += files.length;
    await writeLine({ address, memory: true, revision: history?.revision });
    for (const directory of directories) await writeLine({ address, directory });
    for (const { path, load } of files) {
      const { content, createdAt, updatedAt } = await load();
      const sizeBytes = Buffer.byteLength(content);
      await writeLine({ address, path, sizeBytes, sha256: hashSha256(content), createdAt, updatedAt, content });
      progress.step();
    }
    const { versions } = await checkHistory(tree, exportAdvice(address), (version) => writeLine({ address, version }));
    counts.memories += 1;
    counts.files += files.length;
    counts.versions += versions;
  }
  await writeLine({ end: true, lines: lines + 1 });
  return counts;
}

/** The file appears when the archive is complete. @throws CommandError */
export async function writeArchiveFile(
  trees: AsyncIterable<Tree>,
  file: string,
  overwrite: boolean,
  progress: Progress,
): Promise<ExportCounts> {
  return withFile(file, "write", async () => {
    await checkDestination(file, overwrite);
    return writeWholeFile(file, (handle) => writeArchive(trees, (text) => handle.writeFile(text), progress));
  });
}

async function checkDestination(file: string, overwrite: boolean): Promise<void> {
  const stats = await lstat(file).catch(() => null);
  if (stats?.isDirectory() === true)
    throw new CommandError(
      "EEXIST",
      `${file}: it is a folder, and an export is one JSONL file; name a file, or use \`copy --to-dir\` for a folder ` +
        "that people can read",
    );
  if (stats !== null && !overwrite)
    throw new CommandError("EEXIST", `${file}: it is there already; pass --overwrite to replace it, or name another`);
}
