import { describe, expect, it } from "@jest/globals";
import { CommandError } from "../../../src/cli/errors.js";
import { parseTime } from "../../../src/cli/times.js";

const nowMs = Date.parse("2026-11-25T14:30:00.000Z");

function rangeOf(given: string): string[] {
  const { firstMs, lastMs } = parseTime("--since", given, nowMs);
  return [firstMs, lastMs].map((ms) => new Date(ms).toISOString());
}

const moment = (time: string): string[] => [time, time];

describe("a time", () => {
  it.each([
    ["2026-01-31", ["2026-01-31T00:00:00.000Z", "2026-01-31T23:59:59.999Z"]],
    ["2026-01-31T12:00", moment("2026-01-31T12:00:00.000Z")],
    ["2026-01-31T12:00:00.5+02:00", moment("2026-01-31T10:00:00.500Z")],
    ["30s", moment("2026-11-25T14:29:30.000Z")],
    ["45m", moment("2026-11-25T13:45:00.000Z")],
    ["12h", moment("2026-11-25T02:30:00.000Z")],
    ["30d", moment("2026-10-26T14:30:00.000Z")],
    ["2w", moment("2026-11-11T14:30:00.000Z")],
    ["0d", moment("2026-11-25T14:30:00.000Z")],
  ])("can be %j", (given, range) => {
    expect(rangeOf(given)).toEqual(range);
  });

  it.each([
    ["nothing", ""],
    ["a word", "yesterday"],
    ["a weekday, which is one of two days", "friday"],
    ["a number without a unit", "30"],
    ["a number with another unit", "3y"],
    ["a part of a number", "1.5d"],
    ["a time to come", "-3d"],
    ["a date that people read in two ways", "1/2/2026"],
    ["a day that does not exist", "2026-02-31"],
    ["an hour that does not exist", "2026-01-31T25:00"],
    ["a time before all memories", "99999999d"],
    ["a text without end", "1".repeat(100_000)],
  ])("is not %s", (_, given) => {
    expect(() => rangeOf(given)).toThrow(CommandError);
    expect(() => rangeOf(given)).toThrow(
      /^--since .* is no time; pass a date or a time such as 2026-01-31 .*, or how long ago .* 45m, 12h, 30d or 2w$/,
    );
  });
});
