import { usageError } from "./errors.js";

const unitMs: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** Parses a number and its unit, such as `30d` or `12h`. Returns NaN for any other text. */
export function parseDuration(text: string): number {
  const [, count, unit = ""] = /^(\d{1,9})([smhdw])$/.exec(text) ?? [];
  return Number(count) * (unitMs[unit] ?? NaN);
}

const isoPattern = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)?)?$/;

/**
 * Parses a time in ISO 8601, or the time since then, such as `30d`. A day begins in UTC, as in the lists.
 * @throws CommandError EUSAGE
 */
export function parseTime(flag: string, given: string, nowMs: number): Date {
  const iso = isoPattern.exec(given);
  const [, time, zone] = iso ?? [];
  const ms =
    iso === null
      ? nowMs - parseDuration(given)
      : Date.parse(time === undefined || zone !== undefined ? given : `${given}Z`);
  if (ms >= 0 && (iso === null || isDay(given.slice(0, 10)))) return new Date(ms);
  throw usageError(
    `${flag} ${given} is not a time; pass a date or a time such as 2026-01-31 or 2026-01-31T12:00:00Z, or ` +
      "how long ago it was, such as 45m, 12h, 30d or 2w",
  );
}

/** `Date` reads 2026-02-31 as a day of March. */
function isDay(date: string): boolean {
  return new Date(date).toISOString().startsWith(date);
}
