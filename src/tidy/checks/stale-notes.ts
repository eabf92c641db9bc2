import { checkEachFile } from "../finding.js";
import { getFrontMatter } from "../note-lines.js";

const field = /^stale_after[ \t]*:[ \t]*["']?(\d{4}-\d{2}-\d{2})(T[^\s"'#]{1,40})?/m;

const hasZone = /(?:Z|[+-]\d{2}:?\d{2})$/i;

const dayMs = 86_400_000;

export const staleNotes = checkEachFile(({ content }, { at }) => {
  const end = getPassedEnd(content, at);
  return end === null ? null : { kind: "stale", message: `the note says that it is stale after ${end}` };
});

/**
 * Returns the date of a stale note, as it is written. A date without a time includes that day. Without a zone it is UTC.
 * @returns null for a note that is not stale
 */
export function getPassedEnd(content: string, at: Date): string | null {
  const [, day, time] = field.exec(getFrontMatter(content) ?? "") ?? [];
  if (day === undefined) return null;
  const end = time === undefined ? Date.parse(day) + dayMs : Date.parse(day + (hasZone.test(time) ? time : `${time}Z`));
  // A date that does not exist is NaN, which is not earlier.
  return end <= at.getTime() ? `${day}${time ?? ""}` : null;
}
