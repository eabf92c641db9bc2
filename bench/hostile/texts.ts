import type { Memory } from "../../src/core/memory.js";
import type { Ground } from "./hostile-call.js";

export const newlines = (bytes: number): string => "\n".repeat(bytes);

export const sameLetter = (bytes: number): string => "a".repeat(bytes);

/** Half as long as the text of one letter, in which it is nearly found at every place. */
export function nearlyEverywhere(bytes: number): string {
  const side = "a".repeat(bytes / 4);
  return `${side}b${side}`;
}

/** Blocks of a journal, as many as there can be. */
export function headings(bytes: number): string {
  return Array.from({ length: bytes / 12 }, (_, index) => `### ${String(index).padStart(7, "0")}\n`).join("");
}

const nameChars = 250;

/** Long names that begin alike, so many that they have the bytes. */
export function longNames(bytes: number): string[] {
  return Array.from({ length: bytes / nameChars }, (_, index) => String(index).padStart(nameChars, "a"));
}

/** A directory of files with long names, all made at once. */
export async function writeNames({ client, dbName, memory: open }: Ground, bytes: number): Promise<Memory> {
  const memory = await writeFile(open(), "x");
  const keys = longNames(bytes).map((name) => `names.${name}`);
  const ofKeys = (value: unknown): object => ({ $literal: Object.fromEntries(keys.map((key) => [key, value])) });
  const times = { createdAt: new Date(), updatedAt: new Date() };
  const made = {
    data: { $mergeObjects: ["$data", ofKeys("")] },
    meta: { $mergeObjects: ["$meta", ofKeys(times)] },
    dirs: { names: true },
  };
  await client
    .db(dbName)
    .collection("memories")
    .updateOne({ nodeId: memory.address.nodeId }, [{ $set: made }]);
  return memory;
}

export async function writeFile(memory: Memory, text: string): Promise<Memory> {
  await memory.write("/file", text);
  return memory;
}
