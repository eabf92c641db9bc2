import { resume } from "./apply-once.js";
import type { ChangeRecord, ChangeRecords } from "../contract/change-record.js";

/** Whether a text of a record is to be redacted. */
type IsRedacted = (text: string) => boolean;

/** Finds the proposals, and the changes that runs wait for, that have such a text. */
export async function findRecords(records: ChangeRecords, isRedacted: IsRedacted): Promise<ChangeRecord[]> {
  const found: ChangeRecord[] = [];
  for (const kind of ["interrupt", "proposal"] as const) {
    for await (const record of records.list(kind, ["pending", "applying", "approved", "rejected"]))
      if (getTexts(record).some((text) => typeof text === "string" && isRedacted(text))) found.push(record);
  }
  return found;
}

/**
 * Removes the texts of records, when the history redacts versions. A record still says who proposed and who decided. A
 * pending record is rejected, because nobody can see any more what it changes.
 * @returns how many records were redacted
 */
export async function redactRecords(records: ChangeRecords, isRedacted: IsRedacted): Promise<number> {
  const found = await findRecords(records, isRedacted);
  for (const record of found) {
    const { id, status } = await resume(records, record);
    const decision = status === "pending" ? ({ status: "rejected", reason: "redacted" } as const) : {};
    const { path, to, reason } = record;
    await records.swap(
      id,
      { status },
      {
        content: null,
        oldContent: null,
        before: null,
        after: null,
        edited: null,
        diff: "[redacted]\n",
        ...(isRedacted(path) && { path: "" }),
        ...(to !== null && isRedacted(to) && { to: "" }),
        ...(reason !== null && isRedacted(reason) && { reason: "redacted" }),
        ...decision,
      },
    );
  }
  return found.length;
}

function getTexts(record: ChangeRecord): (string | null | undefined)[] {
  const { path, to, content, oldContent, before, after, edited, diff, reason } = record;
  // In a diff, a text of several lines has a sign before each of them.
  const shown = diff.replaceAll(/^[ +-]/gm, "");
  return [
    path,
    to,
    content,
    oldContent,
    before,
    after,
    edited?.content,
    edited?.after,
    edited?.diff,
    diff,
    shown,
    reason,
  ];
}
