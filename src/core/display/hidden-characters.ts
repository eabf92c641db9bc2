/**
 * Controls, format and tag characters, what has no width, half surrogates, and line ends that are no newline: the
 * inside of a class of an expression with the flag `u`.
 */
export const hidden = "\\0-\\x08\\x0b-\\x1f\\x7f-\\x9f\\p{Cf}\\p{Cs}\\p{Default_Ignorable_Code_Point}\\u2028\\u2029";

/** Scripts that are misspelt without joiners. */
const joiningScripts = [
  "Arabic",
  "Syriac",
  "Devanagari",
  "Bengali",
  "Gurmukhi",
  "Gujarati",
  "Oriya",
  "Tamil",
  "Telugu",
  "Kannada",
  "Malayalam",
  "Sinhala",
  "Khmer",
  "Myanmar",
]
  .map((script) => `\\p{Script=${script}}`)
  .join("");

/**
 * What of it ordinary text is not written without: line ends of Windows, joiners of letters and of emoji, and their
 * style.
 */
export const ordinary = [
  "\\r(?:\\n|$)",
  // Their digits and punctuation join nothing, and after a hidden character nobody sees what is joined.
  `(?<=(?=[\\p{L}\\p{M}])(?!\\p{Default_Ignorable_Code_Point})[${joiningScripts}])[\\u200c\\u200d]`,
  "(?<=\\p{Extended_Pictographic}[\\ufe0f\\u{1f3fb}-\\u{1f3ff}]?)\\u200d(?=\\p{Extended_Pictographic})",
  "(?<=\\p{Extended_Pictographic})[\\ufe0e\\ufe0f]",
  "(?<=[0-9#*])\\ufe0f(?=\\u20e3)",
].join("|");
