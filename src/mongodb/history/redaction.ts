import type { MemoryActor } from "../../core/values/actor.js";
import { errorOnPaths } from "../../core/values/error-paths.js";
import { isBeginning, wholeText } from "../../core/history/older-text.js";
import type { HistoryView } from "./history-view.js";
import type { Redaction } from "./version-collection.js";
import { getPublicId, isTextRedacted, type VersionDocument } from "./version-document.js";

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
): Promise<Redaction[]> {
  const ids = new Set(versions.map(getPublicId));
  const keeping: Redaction[] = [];
  const losing: Redaction[] = [];
  const marking: Redaction[] = [];
  for (const file of new Set(versions.flatMap((version) => version.file ?? []))) {
    const lineage = await view.lineage(file, null);
    for (const [index, version] of lineage.entries()) {
      const [next, previous] = [lineage[index - 1], lineage[index + 1]];
      if (!ids.has(getPublicId(version))) continue;
      if (isPresentText(view, lineage.slice(0, index), version)) throw presentText(getPublicId(version), version);
      if (next !== undefined) losing.push(withoutText(next, version));
      const before =
        previous === undefined || isRedacted(previous, ids) ? null : await view.textBefore(lineage.slice(0, index + 1));
      const id = getPublicId(version);
      if (typeof before === "string" && version.operation !== "created")
        keeping.push({ id, found: version.older ?? null, set: { older: wholeText(before) }, unset: [] });
      const whoAndWhen = { redactedAt: at, ...(by !== null && { redactedBy: by }), sizeBytes: null, sha256: null };
      marking.push({ id, set: whoAndWhen, unset: ["path", "from", "directories", "masked"] });
    }
  }
  return [...keeping, ...losing.filter(({ set, unset }) => unset.length > 0 || "older" in set), ...marking];
}

/** The text of a version that is no longer kept. */
export interface LostText {
  /** The next version, which stores the replaced text. */
  successor: VersionDocument;
  /** All later versions, newest first. */
  newer: readonly VersionDocument[];
}

/**
 * Plans how to remove the text of a version that is no longer kept.
 * @throws MemoryError EINVAL for the present text of a file
 */
export function redactLostText(view: HistoryView, { successor, newer }: LostText): Redaction {
  if (isPresentText(view, newer, { ...successor, operation: "modified" }))
    throw presentText(successor.since ?? "", successor);
  return { id: getPublicId(successor), found: successor.older ?? null, set: { older: null }, unset: [] };
}

function isRedacted(version: VersionDocument, ids: ReadonlySet<string>): boolean {
  return isTextRedacted(version) || ids.has(getPublicId(version));
}

/**
 * Whether the text can be read in the present file: as the whole text, or as its start if later changes only appended.
 */
function isPresentText(view: HistoryView, newer: readonly VersionDocument[], version: VersionDocument): boolean {
  if (version.operation === "deleted") return false;
  const path = (newer[0] ?? version).path ?? "";
  if (newer[0]?.operation === "deleted" || !view.present.texts.has(path)) return false;
  return newer.every(({ operation, older }) => operation === "renamed" || (older ? isBeginning(older) : false));
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
