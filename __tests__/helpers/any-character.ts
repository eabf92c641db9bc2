import fc from "fast-check";

const halfSurrogates = { first: 0xd8_00, count: 0x8_00 };

/**
 * Any code point but half surrogates, as fast-check's own `unit: "binary"`, which first makes a table of all of them.
 */
export const anyCharacter = fc
  .integer({ min: 0, max: 0x10_ff_ff - halfSurrogates.count })
  .map((index) => String.fromCodePoint(index < halfSurrogates.first ? index : index + halfSurrogates.count));
