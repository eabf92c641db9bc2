import { createHash } from "node:crypto";
import { visibleJson } from "./display/visible.js";
import type { MemorySnapshot, SnapshotFile } from "./tree/snapshot.js";
import type { CheckedAddress } from "./values/address.js";

/*
 * An archive is JSONL. The first line names the format. Then each memory has its own line, followed by its directories,
 * its files, and maybe its versions, which are for reading. The last line has the SHA-256 of all lines before it.
 */
export const archiveFormat = { format: "langgraph-mongo-memory", version: 2 } as const;

/** Makes the lines of an archive, in their order. */
export class ArchiveLines {
  readonly #hash = createHash("sha256");
  #count = 0;

  begin(): string {
    return this.#line(archiveFormat);
  }

  /** Begins a memory. @param address null for a memory in a folder */
  memory(address: CheckedAddress | null, { revision, directories }: MemorySnapshot): string {
    const lines = [this.#line({ address, memory: true, revision })];
    for (const directory of directories) lines.push(this.#line({ directory }));
    return lines.join("");
  }

  file({ path, createdAt, updatedAt, content }: SnapshotFile): string {
    return this.#line({ path, createdAt, updatedAt, content });
  }

  version(version: object): string {
    return this.#line({ version });
  }

  end(): string {
    return this.#line({ end: true, lines: this.#count + 1, sha256: this.#hash.copy().digest("hex") });
  }

  #line(value: object): string {
    // Escapes control characters everywhere, so that an archive is the same on a terminal and in a file.
    const line = `${visibleJson(JSON.stringify(value))}\n`;
    this.#hash.update(line);
    this.#count += 1;
    return line;
  }
}
