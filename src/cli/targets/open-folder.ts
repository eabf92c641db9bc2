import { basename, resolve } from "node:path";
import { pickDefined } from "../../core/settings/pick-defined.js";
import type { Memory } from "../../core/memory.js";
import { usageError } from "../errors.js";
import { memoryFlags, refuseOptions, type TargetOptions } from "./target-options.js";

/** A memory in a folder. */
export interface OpenFolder {
  memory: Memory;
  /** The name in messages. */
  name: string;
  database: null;
}

/**
 * Opens a folder as a memory. Only the first change creates a missing folder.
 * @param flag the option that names the folder
 * @param options the other options: those of a database are refused
 * @throws CommandError EUSAGE
 */
export async function openFolder(
  flag: "--dir" | "--to-dir",
  dir: string,
  options: TargetOptions = {},
  maxFileBytes?: number,
): Promise<OpenFolder> {
  const ofDatabase = ["uri", "db", "memoriesCollection", ...memoryFlags, "as"];
  refuseOptions(options, ofDatabase, "goes with a database; a folder is one memory without a history");
  if (basename(resolve(dir)) === "")
    throw usageError(
      `${flag} ${dir}: must name a folder, not the root of a file system; pass the folder of one memory`,
    );
  const { openDirectoryMemory } = await import("../../backends/directory/open-directory-memory.js");
  const memory = openDirectoryMemory({ dir, ...pickDefined({ paths: options.paths, maxFileBytes }) });
  return { memory, name: `the folder ${dir}`, database: null };
}
