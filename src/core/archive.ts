import { visibleJson } from "./display/visible.js";
import type { SnapshotFile } from "./tree/snapshot.js";
import type { CheckedAddress } from "./values/address.js";

/** Makes the lines of an archive, which is JSONL: a line for each file, with its memory, and a last line with their number. */
export class ArchiveLines {
  #files = 0;

  file(memory: CheckedAddress, { path, content, createdAt, updatedAt }: SnapshotFile): string {
    this.#files += 1;
    return toLine({ memory, path, content, createdAt, updatedAt });
  }

  end(): string {
    return toLine({ end: true, files: this.#files });
  }
}

/** Escapes control characters everywhere, so that an archive is the same on a terminal and in a file. */
function toLine(value: object): string {
  return `${visibleJson(JSON.stringify(value))}\n`;
}
