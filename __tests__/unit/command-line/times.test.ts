import { describe, expect, it } from "@jest/globals";
import { CommandError } from "../../../src/cli/errors.js";
import { parseTime } from "../../../src/cli/times.js";

const nowMs = Date.parse("2026-11-25T14:30:00.000Z");

const parse = (given: string): string => parseTime("--after", given, nowMs).toISOString();

describe("a time", () => {
  it.each([
    ["2026-01-31", "2026-01-31T00:00:00.000Z"],
    ["2026-01-31T12:00", "2026-01-31T12:00:00.000Z"],
    ["2026-01-31T12:00:00.5+02:00", "2026-01-31T10:00:00.500Z"],
    ["30s", "2026-11-25T14:29:30.000Z"],
    ["45m", "2026-11-25T13:45:00.000Z"],
    ["12h", "2026-11-25T02:30:00.000Z"],
    ["30d", "2026-10-26T14:30:00.000Z"],
    ["2w", "2026-11-11T14:30:00.000Z"],
    ["0d", "2026-11-25T14:30:00.000Z"],
  ])("can be %j", (given, time) => {
    expect(parse(given)).toBe(time);
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
    expect(() => parse(given)).toThrow(CommandError);
    expect(() => parse(given)).toThrow(
      /^--after .* is not a time; pass a date or a time such as 2026-01-31 .*, or how long ago .* 45m, 12h, 30d or 2w$/,
    );
  });
});
