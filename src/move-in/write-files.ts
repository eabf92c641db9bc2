import { getAddSettings } from "../core/bulk.js";
import type { Memory } from "../core/memory.js";
import { proposeChange } from "../core/propose-change.js";
import { OptionsError } from "../core/settings/check-options.js";
import { type AddedFile, commitFiles, type DatedFile } from "../core/tree/add-files.js";
import { MemoryTree } from "../core/tree/memory-tree.js";
import type { MemoryActor } from "../core/values/actor.js";
import { getReason, isRefusal, type MemoryError } from "../core/values/errors.js";
import { createFactsId } from "../core/values/sha256.js";

/** A file that is ready to be written, with the ids that its text comes from. */
export interface ReadyFile extends DatedFile {
  sources: string[];
}

type FileResult = AddedFile | "proposed";

/** Stores some files, each path once, and returns their outcomes. */
export type StoreFiles = (files: readonly ReadyFile[]) => Promise<FileResult[]>;

/** Writes files into a copy of the tree, which is kept. */
export async function writeToCopy(memory: Memory): Promise<StoreFiles> {
  const tree = new MemoryTree(await memory.snapshot());
  const settings = getAddSettings(memory);
  return async (files) => commitFiles(tree, files, settings).result;
}

/** Proposes each file. A file that was proposed before is not proposed again, whatever a person has decided. */
export function proposeTo(memory: Memory, actor: MemoryActor, reason: string): StoreFiles {
  const { proposals } = memory;
  if (proposals === null)
    throw new OptionsError("MoveInOptions", "propose", "needs a memory of a MongoMemoryStore, without mounts");
  const propose = async ({ path, content, ifExists, sources }: ReadyFile): Promise<FileResult> => {
    const id = createFactsId(["move-in", memory.address, path, content]);
    if ((await proposals.get(id)) !== null) return "unchanged";
    const origin = { reason, sources, trust: "unknown", model: "" } as const;
    const write = (asking: Memory): Promise<unknown> => asking.write(path, content, { ifExists });
    try {
      return (await proposeChange(memory, { id, actor, origin }, write)) === null ? "unchanged" : "proposed";
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return error.code === "EEXIST" && (await memory.read(path)) === content ? "unchanged" : error;
    }
  };
  return async (files) => {
    const results: FileResult[] = [];
    for (const file of files) results.push(await propose(file));
    return results;
  };
}

/** Words why a file was refused. */
export function describeRefusal(error: MemoryError): string {
  return error.code === "EEXIST" ? "another text is there already" : getReason(error);
}
