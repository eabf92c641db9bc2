import { constants } from "node:fs";
import { open, stat } from "node:fs/promises";
import { join } from "node:path";
import type { MoveInNote, MoveInSource } from "../item.js";
import { openFolder } from "./folder.js";
import { type JsonRecord, readRecords } from "./records.js";

/**
 * Reads the records of an export: of a file, or of the JSON files in its unpacked folder. Other files are noted.
 * @param why why other files are left out
 */
export async function* readExport(source: MoveInSource, why: string): AsyncGenerator<JsonRecord | MoveInNote> {
  if (typeof source !== "string" || !(await stat(source)).isDirectory()) {
    yield* readRecords(source);
    return;
  }
  const { memory, dir } = await openFolder(source);
  for (const { path } of (await memory.outline()).files) {
    if (!path.endsWith(".json")) yield { what: path, why };
    else
      for await (const record of readRecords(await openFile(join(dir, path))))
        yield { ...record, what: `${path}, ${record.what}` };
  }
}

/** Follows no link that came into the place of the file. */
async function openFile(path: string): Promise<AsyncIterable<Uint8Array>> {
  const handle = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  return handle.createReadStream();
}

/** Words how much of a conversation was left out. Undefined: nothing. */
export function describeLosses(counts: Readonly<Record<string, number>>): string | undefined {
  const parts = Object.entries(counts).flatMap(([what, count]) => (count === 0 ? [] : [`${count} ${what}`]));
  return parts.length === 0 ? undefined : `left out: ${parts.join(", ")}`;
}
