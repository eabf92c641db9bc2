import { z } from "zod";
import { checkOptions } from "../core/settings/check-options.js";
import type { MoveInEntry, MoveInNote, MoveInSource } from "./entry.js";
import { readDeepagents } from "./formats/deepagents.js";
import { readMem0 } from "./formats/mem0.js";
import { readServerMemory } from "./formats/server-memory.js";
import { readStore } from "./formats/store.js";

const readers = { store: readStore, deepagents: readDeepagents, mem0: readMem0, "server-memory": readServerMemory };

/**
 * The name of a format.
 * @useDeclaredType
 */
export type MoveInFormat = keyof typeof readers;

export const moveInFormats = Object.keys(readers) as MoveInFormat[];

const sourceSchema = z.strictObject({
  from: z.enum(moveInFormats),
  source: z.custom<MoveInSource>(
    (value) => (typeof value === "string" && value !== "") || (typeof value === "object" && value !== null),
    "must be a path, a stream of bytes, a store or a collection",
  ),
  namespace: z.array(z.string().min(1)).default([]),
});

/**
 * Reads what another program remembers, for `moveIn`. A part that cannot be taken is a note with the reason.
 *
 * @param options.from the format: the items of a store, deepagents' files in a store, memories of mem0, or the graph of
 * the MCP reference server
 * @param options.source a BaseStore or a collection of MongoDB; of mem0 and server-memory also a path or a stream of bytes
 * @param options.namespace the first labels of the namespaces of a store's items that are taken. Default: all
 * @throws TypeError for bad options; MemoryError EINVAL for another source; the errors of the source
 */
export function readEntries(options: {
  from: MoveInFormat;
  source: MoveInSource;
  namespace?: string[];
}): AsyncIterable<MoveInEntry | MoveInNote> {
  const { from, source, namespace } = checkOptions("options of readEntries", sourceSchema, options);
  return readers[from](source, namespace);
}
