import type { CallContext } from "../../../core/runtime/call.js";
import { ROOT } from "../../../core/values/paths.js";
import type { PresentMemory, StoredHistory } from "../../history/history-source.js";
import { findRoot, createSnapshot, type StoredRoot } from "./documents.js";
import type { FileReads } from "./file-reads.js";
import type { FilesContext } from "./files-context.js";
import { dropOld } from "./changes/versions.js";

/** The history of a memory whose changes have made no version yet. */
const noHistory = { id: "none", revision: 0 };

/** Every change stores its versions in the same step, so nothing is left to flush. */
export class FilesHistory implements StoredHistory {
  readonly #context: FilesContext;
  readonly #reads: FileReads;

  constructor(context: FilesContext, reads: FileReads) {
    this.#context = context;
    this.#reads = reads;
  }

  async flush(call: CallContext): Promise<void> {
    const { versions, isReader } = this.#context;
    const root = await this.#reads.root(call);
    if (root?.history !== undefined && !isReader) await dropOld(versions, root.history, call);
  }

  async read(what: "outbox" | "tree" | { path: string }, call: CallContext): Promise<PresentMemory | null> {
    const documents = await this.#reads.withRoot(getPaths(what), call);
    const root = documents && findRoot(documents);
    if (!documents || !root) return null;
    const files = [...documents].flatMap(([path, document]) => (document.kind === "file" ? [{ path, document }] : []));
    const texts = new Map(files.map(({ path, document }): [string, string] => [path, document.text]));
    const present = toPresent(root, texts);
    if (what === "tree") return { ...present, tree: createSnapshot(documents) };
    return what === "outbox" ? present : { ...present, isDirectory: documents.get(what.path)?.kind === "dir" };
  }

  settle(): Promise<boolean> {
    return Promise.resolve(true);
  }
}

/** Returns the memory in the form that the history reads. */
export function toPresent(
  { _id, history = noHistory }: Pick<StoredRoot, "_id" | "history">,
  texts: ReadonlyMap<string, string>,
): PresentMemory {
  return {
    documentId: _id,
    memory: history.id,
    revision: history.revision,
    changes: [],
    firstStored: undefined,
    texts,
    owner: null,
  };
}

function getPaths(what: "outbox" | "tree" | { path: string }): string[] | null {
  if (what === "tree") return null;
  return what === "outbox" || what.path === ROOT ? [] : [what.path];
}
