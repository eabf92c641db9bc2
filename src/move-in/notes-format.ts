import type { SnapshotFile } from "../core/tree/snapshot.js";
import type { MoveInEntry, MoveInFormat } from "./item.js";
import { openFolder, readFolder } from "./read/folder.js";

interface NotesFormat {
  version: string;
  /** Returns why a file is left out, or null. @default takes every text */
  leavesOut?: (path: string) => string | null;
  /** Returns the entry for a file that is taken. @default the file as it is */
  toEntry?: (file: SnapshotFile) => MoveInEntry;
}

/** A folder of notes. Without `toEntry`, paths, front matter and links stay as they are. */
export function notesFormat({ version, leavesOut = () => null, toEntry = takeNote }: NotesFormat): MoveInFormat {
  return {
    version,
    takes: ["folder"],
    async *read(source) {
      const { memory, dir } = await openFolder(source);
      for await (const file of readFolder(memory, dir)) {
        if ("why" in file) yield file;
        if ("why" in file || "directory" in file) continue;
        const why = leavesOut(file.path);
        yield why === null ? toEntry(file) : { what: file.path, why };
      }
    },
  };
}

/** Takes a file as it is. */
export function takeNote({ path, content, createdAt, updatedAt }: SnapshotFile): MoveInEntry {
  return { path, content, at: updatedAt, createdAt };
}

export function isMarkdown(path: string): boolean {
  return /\.(?:md|markdown)$/i.test(path);
}
