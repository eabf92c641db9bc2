import { describe, expect, it } from "@jest/globals";
import { CommandError } from "../../../src/cli/errors.js";
import { parseTime } from "../../../src/cli/commands/history/parse-time.js";

/** A Wednesday. */
const now = new Date("2026-11-25T14:30:00.000Z");

function rangeOf(given: string): string[] {
  const { firstMs, lastMs } = parseTime("--since", given, now);
  return [firstMs, lastMs].map((ms) => new Date(ms).toISOString());
}

const dayOf = (day: string): string[] => [`${day}T00:00:00.000Z`, `${day}T23:59:59.999Z`];
const moment = (time: string): string[] => [time, time];

describe("a time", () => {
  // Requirement: command-line.times
  it.each([
    ["2026-01-31", dayOf("2026-01-31")],
    ["2026-01-31T12:00", moment("2026-01-31T12:00:00.000Z")],
    ["2026-01-31T12:00:00.5+02:00", moment("2026-01-31T10:00:00.500Z")],
    ["today", dayOf("2026-11-25")],
    ["yesterday", dayOf("2026-11-24")],
    ["Yesterday", dayOf("2026-11-24")],
    ["last monday", dayOf("2026-11-23")],
    ["Nov 3", dayOf("2026-11-03")],
    ["3 March 2026", dayOf("2026-03-03")],
    ["February 2028", ["2028-02-01T00:00:00.000Z", "2028-02-29T23:59:59.999Z"]],
    ["now", moment("2026-11-25T14:30:00.000Z")],
    ["2 days ago", moment("2026-11-23T14:30:00.000Z")],
    ["2 hours ago", moment("2026-11-25T12:30:00.000Z")],
    ["an hour ago", moment("2026-11-25T13:30:00.000Z")],
    ["last week", moment("2026-11-18T14:30:00.000Z")],
    ["yesterday at 5pm", moment("2026-11-24T17:00:00.000Z")],
    ["yesterday 17:30 CET", moment("2026-11-24T16:30:00.000Z")],
  ])("can be %j", (given, range) => {
    expect(rangeOf(given)).toEqual(range);
  });

  // Requirement: command-line.times
  it.each([
    ["nothing", ""],
    ["a time and other words", "yesterday or so"],
    ["two times", "2 days ago and 3 days ago"],
    ["a range", "monday to friday"],
    ["a date that people read in two ways", "1/2/2026"],
    ["a day that does not exist", "2026-02-31"],
    ["an hour that does not exist", "2026-01-31T25:00"],
    ["a part of a day", "this morning"],
    ["a time before all memories", "99999999 days ago"],
    ["a text without end", "yesterday ".repeat(100_000)],
  ])("is not %s", (_, given) => {
    expect(() => rangeOf(given)).toThrow(CommandError);
    expect(() => rangeOf(given)).toThrow(/^--since .* is no time; pass one such as 2026-01-31, .* or "2 days ago"$/);
  });
});
