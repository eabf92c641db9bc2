import type { CheckedAddress } from "../../../core/values/address.js";
import { FileChanges } from "./file-changes.js";
import { FileReads } from "./file-reads.js";
import type { FilesContext } from "./files-context.js";

/** The commands that reach the documents of one memory. */
export interface StoredFiles {
  reads: FileReads;
  changes: FileChanges;
}

export function storedFiles(context: FilesContext, address: CheckedAddress): StoredFiles {
  return { reads: new FileReads(context, address), changes: new FileChanges(context, address) };
}
