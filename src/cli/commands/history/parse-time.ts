import { casual, type ParsedResult } from "chrono-node/en";
import { usageError } from "../../errors.js";

/** The first and the last millisecond of a time, a day or a month. */
export interface TimeRange {
  firstMs: number;
  lastMs: number;
}

const dayMs = 86_400_000;
const isoPattern = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)?)?$/;

/** Words for a time are no longer. It bounds the work of the parser. */
const maxChars = 64;

/** Parses a time in ISO 8601, or in words. Days are days in UTC, as in the lists. @throws CommandError EUSAGE */
export function parseTime(flag: string, given: string, now: Date): TimeRange {
  const range = isoPattern.test(given) ? parseIso(given) : parseWords(given, now);
  if (range !== null) return range;
  throw usageError(
    `${flag} ${given.slice(0, maxChars)} is no time; pass one such as 2026-01-31, 2026-01-31T12:00:00Z, yesterday or ` +
      '"2 days ago"',
  );
}

function parseIso(given: string): TimeRange | null {
  const [, time, zone] = isoPattern.exec(given) ?? [];
  const firstMs = Date.parse(time === undefined || zone !== undefined ? given : `${given}Z`);
  if (Number.isNaN(firstMs) || !isDay(given.slice(0, 10))) return null;
  return { firstMs, lastMs: time === undefined ? firstMs + dayMs - 1 : firstMs };
}

/** `Date` reads 2026-02-31 as a day of March. */
function isDay(date: string): boolean {
  return new Date(date).toISOString().startsWith(date);
}

/** Returns null if a part of the text is no time, or if people read it in two ways, such as 1/2/2026. */
function parseWords(given: string, now: Date): TimeRange | null {
  if (given.length > maxChars || given.includes("/")) return null;
  const [found, ...others] = casual.parse(given, { instant: now, timezone: 0 });
  if (found === undefined || found.text !== given.trim() || found.end || others.length > 0) return null;
  const range = getRange(found.start);
  return range !== null && range.firstMs >= 0 ? range : null;
}

function getRange(time: ParsedResult["start"]): TimeRange | null {
  const atMs = time.date().getTime();
  if (time.tags().has("result/relativeDate") || time.isCertain("hour")) return { firstMs: atMs, lastMs: atMs };
  const [year, month, day] = [time.get("year"), time.get("month"), time.get("day")];
  if (year === null || month === null || day === null) return null;
  if (time.isCertain("day") || time.isCertain("weekday"))
    return { firstMs: Date.UTC(year, month - 1, day), lastMs: Date.UTC(year, month - 1, day + 1) - 1 };
  return time.isCertain("month") ? { firstMs: Date.UTC(year, month - 1), lastMs: Date.UTC(year, month) - 1 } : null;
}
