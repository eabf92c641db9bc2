import { prefixOf } from "../values/paths.js";
import { finish } from "./carry-out.js";
import type { ChangeRecord, ChangeRecords } from "../contract/change-record.js";

/** What is taken out of the records of a memory: all about some paths, and some texts wherever they are. */
export interface Redacted {
  paths: readonly string[];
  texts: readonly string[];
}

/**
 * Takes texts out of proposals and of what runs wait for, for the history when it redacts versions. Who proposed and
 * who decided stays. What nobody has decided about is rejected, because nobody can see any more what it is.
 * @returns how many
 */
export async function redactRecords(records: ChangeRecords, redacted: Redacted): Promise<number> {
  const found: ChangeRecord[] = [];
  for (const kind of ["interrupt", "proposal"] as const) {
    for await (const record of records.list(kind, ["pending", "applying", "approved", "rejected"]))
      if (concerns(record, redacted)) found.push(record);
  }
  for (const record of found) {
    const { id, status } = await finish(records, record);
    const undecided = status === "pending" ? ({ status: "rejected", reason: "redacted" } as const) : {};
    await records.swap(
      id,
      { status },
      { content: null, oldContent: null, before: null, after: null, edited: null, diff: "[redacted]\n", ...undecided },
    );
  }
  return found.length;
}

function concerns(
  { path, to, isDirectory, content, oldContent, before, after, edited, diff }: ChangeRecord,
  { paths, texts }: Redacted,
): boolean {
  const isAbout = (each: string): boolean =>
    [path, to].includes(each) || (isDirectory && each.startsWith(prefixOf(path)));
  const all = [content, oldContent, before, after, edited?.content, edited?.after, diff];
  return paths.some(isAbout) || texts.some((text) => text !== "" && all.some((each) => each?.includes(text)));
}
