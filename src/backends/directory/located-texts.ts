import { fileNotFound, pathIsDirectory } from "../../core/values/errors.js";
import type { Folder, FoundFile, Located } from "./folder.js";
import { readFileText } from "./read-file.js";

/** Reads the text at a path. @throws ENOENT, EISDIR, EIO for a file that is not text */
export async function readText(found: Located): Promise<string> {
  if (found.kind === "dir") throw pathIsDirectory();
  if (found.kind !== "file") throw fileNotFound();
  const text = await readFileText(found, found.stats);
  if (typeof text === "string") return text;
  throw text ?? fileNotFound();
}

/** Reads the files that are text. Other files are left out, so that one bad file does not prevent a snapshot. */
export async function readableFiles(
  folder: Folder,
  files: readonly FoundFile[],
): Promise<(FoundFile & { content: string })[]> {
  const texts = await folder.eachIn(files, ({ name, stats }, parent) => readFileText({ parent, name }, stats));
  return files.flatMap((file, index) => {
    const content = texts[index];
    return typeof content === "string" ? [{ ...file, content }] : [];
  });
}
