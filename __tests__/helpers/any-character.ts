import fc from "fast-check";

/** Any code point, half surrogates too: fast-check's own `unit: "binary"` first makes a table of all of them. */
export const anyCharacter = fc.integer({ min: 0, max: 0x10_ff_ff }).map((code) => String.fromCodePoint(code));
