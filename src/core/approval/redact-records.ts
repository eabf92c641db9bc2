import { getPathPrefix } from "../values/paths.js";
import { resume } from "./apply-once.js";
import type { ChangeRecord, ChangeRecords } from "../contract/change-record.js";

/** Paths and texts to remove from the records of a memory: everything about the paths, and every copy of the texts. */
interface Redacted {
  paths: readonly string[];
  texts: readonly string[];
}

/**
 * Removes texts from proposals and from changes that runs wait for, when the history redacts versions. A record still
 * says who proposed and who decided. A pending record is rejected, because nobody can see any more what it changes.
 * @returns how many records were redacted
 */
export async function redactRecords(records: ChangeRecords, redacted: Redacted): Promise<number> {
  const matches: ChangeRecord[] = [];
  for (const kind of ["interrupt", "proposal"] as const) {
    for await (const record of records.list(kind, ["pending", "applying", "approved", "rejected"]))
      if (isAffected(record, redacted)) matches.push(record);
  }
  for (const record of matches) {
    const { id, status } = await resume(records, record);
    const undecided = status === "pending" ? ({ status: "rejected", reason: "redacted" } as const) : {};
    await records.swap(
      id,
      { status },
      { content: null, oldContent: null, before: null, after: null, edited: null, diff: "[redacted]\n", ...undecided },
    );
  }
  return matches.length;
}

function isAffected(
  { path, to, isDirectory, content, oldContent, before, after, edited, diff }: ChangeRecord,
  { paths, texts }: Redacted,
): boolean {
  const isAbout = (each: string): boolean =>
    [path, to].includes(each) || (isDirectory && each.startsWith(getPathPrefix(path)));
  const recorded = [content, oldContent, before, after, edited?.content, edited?.after, diff];
  return paths.some(isAbout) || texts.some((text) => text !== "" && recorded.some((each) => each?.includes(text)));
}
