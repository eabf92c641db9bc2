import type { Steps } from "../../core/runtime/time-slices.js";
import type { MemoryActor, VersionOrigin } from "../../core/values/actor.js";
import type { VersionOperation } from "../../core/history/history.js";
import { type OlderText, encodeOlderText, readOlderText, wholeText } from "../../core/history/older-text.js";
import { hashSha256 } from "../../core/values/sha256.js";
import { utf8Bytes } from "../../core/values/text.js";
import {
  type ChangeOrder,
  type DirectoryChange,
  getPublicId,
  publicId,
  storedId,
  type VersionDocument,
} from "./version-document.js";

/** A change that a memory has recorded in one of its pages, with paths. */
export interface RecordedChange extends ChangeOrder {
  at: Date;
  actor: MemoryActor | null;
  origin?: VersionOrigin;
  files: RecordedFile[];
  directories: DirectoryChange;
}

export interface RecordedFile {
  path: string;
  /** The path before the file was renamed. */
  from?: string;
  gone: boolean;
  /** The text before, if there was one and the change replaced it. */
  before?: string;
  /** Size in bytes of UTF-8 of the text before, if the change only appended to it. */
  beforeBytes?: number;
  /** The difference between the text before and the text after, if it is known. */
  older?: OlderText;
}

/** The last known version of a path before a change. */
export interface Head {
  id: string;
  file: string;
  gone: boolean;
}

/** Returns the paths for which heads are needed. */
export function pathsBefore(changes: readonly RecordedChange[]): string[] {
  const known = new Set<string>();
  const needed = new Set<string>();
  for (const { path, from } of changes.flatMap(({ files }) => files)) {
    const before = from ?? path;
    if (!known.has(before)) needed.add(before);
    known.add(before).add(path);
  }
  return [...needed];
}

/** A version of a recorded change. Complete after `addTexts` and `addLineage`. */
export interface OutboxVersion {
  document: VersionDocument;
  id: string;
  file: RecordedFile | null;
}

export function createChangeVersions(
  memory: string,
  { at, actor, origin, files, directories, ...change }: RecordedChange,
): OutboxVersion[] {
  const all: (RecordedFile | null)[] = files.length === 0 ? [null] : files;
  return all.map((file, index) => {
    const id = publicId(change, index);
    const paths = file && {
      path: file.path,
      ...(file.from !== undefined && { from: file.from }),
      operation: getOperation(file),
    };
    const directoryFields = index === 0 && Object.keys(directories).length > 0 && { directories };
    return {
      id,
      file,
      document: {
        _id: storedId(memory, id),
        ...paths,
        at,
        actor,
        ...origin,
        sizeBytes: null,
        sha256: null,
        ...directoryFields,
      },
    };
  });
}

function getOperation({ gone, from, before, beforeBytes, older }: RecordedFile): VersionOperation {
  if (gone) return "deleted";
  if (from !== undefined) return "renamed";
  return before === undefined && beforeBytes === undefined && older === undefined ? "created" : "modified";
}

/**
 * Adds what versions have of the texts of their files. Works from the last change to the first: the text before a change
 * is the text after the previous one. In steps, because an outbox can contain many large texts.
 * @param present the texts after the last change. The versions of other files stay incomplete, until they are added too
 */
export function* addTexts(versions: readonly OutboxVersion[], present: ReadonlyMap<string, string>): Steps<void> {
  const texts = new Map(present);
  for (const { document, file } of versions.toReversed()) {
    if (file === null) continue;
    yield;
    const { path, from, gone } = file;
    const after = gone ? undefined : texts.get(path);
    document.sizeBytes = after === undefined ? null : utf8Bytes(after);
    document.sha256 = after === undefined ? null : hashSha256(after);
    texts.delete(path);
    const before = from === undefined ? textBefore(file, after, document.sizeBytes) : after;
    if (before !== undefined) texts.set(from ?? path, before);
    if (document.operation === "created" || document.operation === "renamed") continue;
    document.older = file.older ?? (yield* createOlderText(before, after, file.beforeBytes !== undefined));
  }
}

function textBefore(
  { before, beforeBytes, older }: RecordedFile,
  after: string | undefined,
  afterBytes: number | null,
): string | undefined {
  if (older !== undefined) return after === undefined ? undefined : readOlderText(older, after);
  if (before !== undefined || beforeBytes === undefined || after === undefined) return before;
  // In ASCII one byte is one unit, so a long text need not be encoded.
  return after.length === afterBytes
    ? after.slice(0, beforeBytes)
    : Buffer.from(after, "utf8").subarray(0, beforeBytes).toString("utf8");
}

function* createOlderText(
  before: string | undefined,
  after: string | undefined,
  isAppend: boolean,
): Steps<OlderText | null> {
  if (before === undefined) return null;
  if (after === undefined) return wholeText(before);
  return isAppend ? { start: before.length, text: "", end: 0 } : yield* encodeOlderText(before, after);
}

/** Adds a version to the last known versions of paths. */
export function addHead(heads: Map<string, Head>, version: VersionDocument): void {
  const { path, from, file, operation } = version;
  if (path === undefined) return;
  const id = getPublicId(version);
  if (from !== undefined) heads.delete(from);
  heads.set(path, { id, file: file ?? id, gone: operation === "deleted" });
}

/** Links versions to their predecessors. @param before the heads of the paths before the first of the changes */
export function addLineage(versions: readonly OutboxVersion[], before: ReadonlyMap<string, Head>): void {
  const heads = new Map(before);
  for (const { document, id, file } of versions) {
    if (file === null) continue;
    const { path, from } = file;
    const head = heads.get(from ?? path);
    const goesOn = head !== undefined && !head.gone && document.operation !== "created";
    document.file = goesOn ? head.file : id;
    if (head !== undefined) document.since = head.id;
    addHead(heads, document);
  }
}
