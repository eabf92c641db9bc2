import { z } from "zod";
import { warnOnce } from "../runtime/warn-once.js";

/** An IANA name, or a function that finds the name for a run. */
export type TimeZoneFor<Run> = string | ((run: Run) => string | undefined);

/** Schema of an option `timeZone`. */
export const timeZoneField = z.custom<string | (() => string | undefined)>(
  (value) => typeof value === "function" || isTimeZone(value),
  'must be a time zone, such as "Europe/Berlin", or a function from a run to one',
);

export function isTimeZone(value: unknown): value is string {
  if (typeof value !== "string") return false;
  try {
    new Intl.DateTimeFormat("en", { timeZone: value }).format();
    return true;
  } catch {
    return false;
  }
}

/** Finds the time zone of a run: UTC if the function returns undefined, throws, or returns anything else. */
export function findTimeZone<Run>(timeZone: TimeZoneFor<Run>, run: Run): string {
  if (typeof timeZone === "string") return timeZone;
  let found: unknown;
  try {
    found = timeZone(run) ?? "UTC";
  } catch (error) {
    found = error;
  }
  if (isTimeZone(found)) return found;
  // An asynchronous function may fail later, which would end the process.
  Promise.resolve(found).catch(() => undefined);
  warnOnce("timeZone", "the function timeZone failed or returned no time zone, so the days are those of UTC");
  return "UTC";
}

/** Returns the day and the time of day in a time zone, as `2026-03-04` and `09:05`. */
export function getLocalTime(at: Date, timeZone: string): { day: string; time: string } {
  const format = new Intl.DateTimeFormat("en", {
    timeZone,
    calendar: "gregory",
    numberingSystem: "latn",
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
  });
  const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
  const { year = "", month, day, hour, minute } = parts;
  return { day: `${year.padStart(4, "0")}-${month}-${day}`, time: `${hour}:${minute}` };
}
