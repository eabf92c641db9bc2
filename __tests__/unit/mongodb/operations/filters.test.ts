import { describe, expect, it } from "@jest/globals";
import { parseFilter } from "../../../../src/mongodb/operations/filters.js";

describe("a condition", () => {
  it.each([
    ["an array", []],
    ["an object", {}],
    ["bytes", new Uint8Array()],
  ])("that is empty is refused as %s", (_name, value) => {
    expect(() => parseFilter({ x: value })).toThrow(
      expect.objectContaining({
        code: "EINVAL",
        message: expect.stringContaining('an empty array or object is no condition in the filter on "x"'),
      }),
    );
  });

  it.each(["$and", "$or", "$nor"])("is refused where it combines filters by %s", (operator) => {
    expect(() => parseFilter({ [operator]: [{ x: 1 }] })).toThrow(`which must all hold; it has no ${operator}`);
  });

  it.each(["$eq", "$gt", "$in", "none"])("with an invalid date is refused under the operator %s", (operator) => {
    const date = new Date(Number.NaN);
    const conditions: Record<string, unknown> = { none: date, $in: { $in: [date] } };
    expect(() => parseFilter({ x: conditions[operator] ?? { [operator]: date } })).toThrow(
      expect.objectContaining({
        code: "EINVAL",
        message: expect.stringContaining('a date must be valid in the filter on "x"'),
      }),
    );
  });

  // The server cannot name a field with a dot, so the client decides.
  it.each([
    [new Date(1000), true],
    [new Date(2000), false],
    [{ $ne: new Date(1000) }, false],
    [{ $in: [5, new Date(1000)] }, true],
    [{ $nin: [new Date(1000)] }, false],
    [1000, false],
  ])("on a field with a dot compares a date as an instant: %j", (condition, matches) => {
    const filter = parseFilter({ "x.at": condition });
    expect([filter.query, filter.matches({ "x.at": new Date(1000) })]).toEqual([[], matches]);
  });
});
