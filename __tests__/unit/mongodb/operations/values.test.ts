import { describe, expect, it } from "@jest/globals";
import { BSON } from "mongodb";
import { decodeValue, encodeValue } from "../../../../src/mongodb/operations/values.js";
import fc from "../../../helpers/fast-check.js";
import { repetitions } from "../../../helpers/repetitions.js";

const leaf = fc.oneof(
  fc.constantFrom<unknown>(null, true, 0, -0, Number.NaN, 2 ** 40, 5n, -(2n ** 63n), new Date(5)),
  fc.string({ unit: "grapheme" }),
  fc.double(),
  fc.integer(),
  fc.uint8Array({ maxLength: 5 }),
);
const name = fc
  .oneof(
    fc.constantFrom("$ref", "$id", "$db", "$plain", "__proto__", "constructor", "toString", "", "a.b", "$x"),
    fc.string({ maxLength: 3 }),
  )
  .filter((one) => !one.includes("\0"));
const { value } = fc.letrec<{ value: Record<string, unknown>; field: unknown }>((tie) => ({
  value: fc.array(fc.tuple(name, tie("field")), { maxLength: 5 }).map((fields) => Object.fromEntries(fields)),
  field: fc.oneof({ maxDepth: 3 }, leaf, tie("value"), fc.array(tie("field"), { maxLength: 3 })),
}));

describe("a value on its way through BSON", () => {
  it("comes back equal, whatever its fields are called", () => {
    fc.assert(
      fc.property(value, (given) => {
        const bytes = BSON.serialize(encodeValue(given, 0).value);
        const read = BSON.deserialize(bytes, {
          promoteBuffers: true,
          useBigInt64: true,
          fieldsAsRaw: Object.create(null),
        });
        expect(fc.stringify(decodeValue(read))).toBe(fc.stringify(given));
      }),
      { numRuns: repetitions({ usual: 400, long: 2_000 }) },
    );
  });

  it("is as large as it was counted", () => {
    const limit = 16 * 1024 * 1024 - 1024;
    fc.assert(
      fc.property(value, (given) => {
        const bytes = BSON.calculateObjectSize(encodeValue(given, 0).value);
        expect(() => encodeValue(given, limit - bytes)).not.toThrow();
        expect(() => encodeValue(given, limit - bytes + 1)).toThrow(/EFBIG/);
      }),
      { numRuns: repetitions({ usual: 150, long: 500 }) },
    );
  });

  it("is refused before all of it is written out, where an object is in 2 to the 60th places", () => {
    const shared = Array.from({ length: 60 }).reduce<object>((inner) => ({ a: inner, b: inner }), {});
    expect(() => encodeValue(shared, 16_000_000)).toThrow(/EFBIG: the item would be too large/);
  });

  it("names the place of what cannot be stored", () => {
    expect(() => encodeValue({ a: [{ b: new Map() }] }, 0)).toThrow(
      new TypeError(
        "an item's value contains a Map at value.a[0].b; only JSON-like data, Date, Uint8Array and bigint can be stored",
      ),
    );
  });
});
