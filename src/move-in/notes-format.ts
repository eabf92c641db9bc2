import type { SnapshotFile } from "../core/tree/snapshot.js";
import type { MoveInEntry, MoveInFormat } from "./item.js";
import { openFolder, readFolder } from "./read/folder.js";

interface NotesFormat {
  version: string;
  /** Returns why a file is left out, or null. @default takes every text */
  leavesOut?: (path: string) => string | null;
  /** Returns the text that moves in. @default the text of the file */
  toContent?: (file: SnapshotFile) => string;
}

/** A folder of notes, whose paths, front matter and links stay as they are. */
export function notesFormat({
  version,
  leavesOut = () => null,
  toContent = ({ content }) => content,
}: NotesFormat): MoveInFormat {
  return {
    version,
    takes: ["folder"],
    async *read(source) {
      const { memory, dir } = await openFolder(source);
      for await (const file of readFolder(memory, dir)) {
        if ("why" in file) yield file;
        if ("why" in file || "directory" in file) continue;
        const { path, createdAt, updatedAt } = file;
        const why = leavesOut(path);
        const entry: MoveInEntry = { path, content: toContent(file), at: updatedAt, createdAt };
        yield why === null ? entry : { what: path, why };
      }
    },
  };
}

export function isMarkdown(path: string): boolean {
  return /\.(?:md|markdown)$/i.test(path);
}
