import type { MemoryActor } from "../../../core/values/actor.js";
import { errorOnPaths } from "../../../core/values/error-paths.js";
import { catchRefusal } from "../../../core/values/errors.js";
import { isBeginning, wholeText } from "../../../core/history/older-text.js";
import { redactDirectories } from "./redact-directories.js";
import type { HistoryView } from "../history-view.js";
import type { RedactedFileText } from "./tied-records.js";
import { undoDirectories } from "../tree-at.js";
import type { Redaction } from "./write-redactions.js";
import { getPublicId, isTextRedacted, type KnownDirectoryChange, type VersionDocument } from "../version-document.js";

export interface PlannedRedactions {
  redactions: Redaction[];
  /** The known texts that go, with each path that goes. */
  texts: RedactedFileText[];
}

/**
 * Plans how to remove the text, path, size and hash of these versions everywhere. A version stores the text before it.
 * So the version after a redacted one loses its stored text. The redacted version stores the text before it whole from
 * then on, because that text can no longer be read from the redacted text. Redactions that keep a text come first, then
 * redactions that remove one.
 * @param versions to redact
 * @throws MemoryError EINVAL for the present text of a file
 */
export async function planRedactions(
  view: HistoryView,
  versions: readonly VersionDocument[],
  at: Date,
  by: MemoryActor | null,
): Promise<PlannedRedactions> {
  const ids = new Set(versions.map(getPublicId));
  const keeping: Redaction[] = [];
  const losing: Redaction[] = [];
  const marking: Redaction[] = [];
  const texts: RedactedFileText[] = [];
  for (const file of new Set(versions.flatMap((version) => version.file ?? []))) {
    const lineage = await view.lineage(file, null);
    for (const [index, version] of lineage.entries()) {
      const id = getPublicId(version);
      if (!ids.has(id)) continue;
      const [next, previous] = [lineage[index - 1], lineage[index + 1]];
      const newer = lineage.slice(0, index);
      const text = await readKeptText(view, version, newer);
      if (isPresentText(view, newer, version, text)) throw presentText(id, version);
      for (const path of [version.path, version.from])
        if (text !== null && path !== undefined) texts.push({ path, text });
      if (next !== undefined) losing.push(withoutText(next, version));
      const before =
        previous === undefined || isRedacted(previous, ids) ? null : await view.textBefore([...newer, version]);
      if (typeof before === "string" && version.operation !== "created")
        keeping.push({ id, found: version.older ?? null, set: { older: wholeText(before) }, unset: [] });
      const whoAndWhen = { redactedAt: at, ...(by !== null && { redactedBy: by }), sizeBytes: null, sha256: null };
      marking.push({ id, set: whoAndWhen, unset: ["path", "from", "masked"] });
    }
  }
  const changed = losing.filter(({ set, unset }) => unset.length > 0 || "older" in set);
  const names = versions.some(({ directories }) => directories) ? await planNames(view, ids) : [];
  return { redactions: [...keeping, ...changed, ...names, ...marking], texts };
}

/** Null if there is none, or if it is empty, redacted or no longer kept. */
async function readKeptText(
  view: HistoryView,
  version: VersionDocument,
  newer: readonly VersionDocument[],
): Promise<string | null> {
  return (await catchRefusal(view.restoreText(version, newer), "ENOENT")) || null;
}

function isRedacted(version: VersionDocument, ids: ReadonlySet<string>): boolean {
  return isTextRedacted(version) || ids.has(getPublicId(version));
}

/**
 * Whether the text can be read in the present file: as the whole text, or as its start if later changes only appended.
 */
function isPresentText(
  { present: { texts } }: HistoryView,
  newer: readonly VersionDocument[],
  version: VersionDocument,
  text: string | null,
): boolean {
  if (version.operation === "deleted") return false;
  const path = (newer[0] ?? version).path ?? "";
  if (newer[0]?.operation === "deleted" || !texts.has(path)) return false;
  return (
    texts.get(path) === text ||
    newer.every(({ operation, older }) => operation === "renamed" || (older ? isBeginning(older) : false))
  );
}

function presentText(id: string, version: VersionDocument): Error {
  const { path } = version;
  return errorOnPaths(
    "EINVAL",
    (place) =>
      `version ${id} cannot be redacted: its text can be read in ${path === undefined ? "the file" : place(path)} ` +
      "as it is now; write or delete the file first",
  );
}

function withoutText(next: VersionDocument, { path }: VersionDocument): Redaction {
  const unset = next.from !== undefined && next.from === path ? (["from"] as const) : [];
  return { id: getPublicId(next), set: next.operation === "renamed" ? {} : { older: null }, unset };
}

/**
 * Plans the removal of directory names from redacted versions. A name goes if no other version has it, nor the tree
 * after the version. All other names stay: without them an earlier tree would have directories that did not exist yet.
 */
async function planNames(view: HistoryView, ids: ReadonlySet<string>): Promise<Redaction[]> {
  const versions = await view.ofDirectories();
  const open = versions.filter((version) => !isRedacted(version, ids));
  const known = new Set(open.flatMap(({ directories }) => listNames(directories)));
  const tree = new Set(view.present.tree?.directories);
  const redactions: Redaction[] = [];
  for (const version of versions) {
    const { directories = {} } = version;
    const kept = isRedacted(version, ids)
      ? redactDirectories(directories, (name) => !known.has(name) && !tree.has(name))
      : directories;
    if (kept !== directories) redactions.push({ id: getPublicId(version), set: { directories: kept }, unset: [] });
    undoDirectories(tree, kept);
  }
  return redactions;
}

function listNames({ added = [], removed = [], moved = {} }: KnownDirectoryChange = {}): string[] {
  return [...added, ...removed, ...[moved.from, moved.to].filter((name) => name !== undefined)];
}
