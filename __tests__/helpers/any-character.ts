import fc from "fast-check";

const halfSurrogates = { first: 0xd8_00, count: 0x8_00 };

/**
 * Any code point except half surrogates, like fast-check's `unit: "binary"`, which first creates a table of all code
 * points.
 */
export const anyCharacter = fc
  .integer({ min: 0, max: 0x10_ff_ff - halfSurrogates.count })
  .map((index) => String.fromCodePoint(index < halfSurrogates.first ? index : index + halfSurrogates.count));
