import { getLocalTime } from "../../core/settings/time-zone.js";

/** Formats a time as the crate does: RFC 3339 in UTC, with milliseconds only if they are not zero. */
export function formatInstant(date: Date): string {
  return date.toISOString().replace(/(?:\.000)?Z$/, "+00:00");
}

/** The file of a day. */
export function dailyFile(date: Date, timeZone: string): string {
  return `${getLocalTime(date, timeZone).day.replaceAll("-", "/")}.md`;
}

export interface Instant {
  epochMs: number;
  /** Nanoseconds after the second. A time in a file may be finer than a Date. */
  nanoseconds: number;
}

const timePattern = /^(\d{4}-\d\d-\d\d)(?:[Tt ](\d\d:\d\d:\d\d)(?:\.(\d+))?([Zz]|[+-]\d\d:\d\d))?$/;

const noInstant: Instant = { epochMs: 0, nanoseconds: 0 };

/** Parses a time. Any other text counts as 1970, like a missing time in the crate. A date alone is midnight in UTC. */
export function parseInstant(at: string): Instant {
  if (at === "") return noInstant;
  const [, day = "", time = "00:00:00", fraction = "", offset = "Z"] = timePattern.exec(at) ?? [];
  const epochMs = Date.parse(`${day}T${time}${offset.toUpperCase()}`);
  if (Number.isNaN(epochMs)) return noInstant;
  return { epochMs, nanoseconds: Number(fraction.slice(0, 9).padEnd(9, "0")) };
}

export function compareInstants(a: Instant, b: Instant): number {
  return a.epochMs - b.epochMs || a.nanoseconds - b.nanoseconds;
}
