/**
 * Characters that nobody sees: control, format, tag and zero-width characters, half surrogates, and line ends other
 * than a newline. Written as the inside of a character class with the flag `u`.
 */
export const hidden = "\\0-\\x08\\x0b-\\x1f\\x7f-\\x9f\\p{Cf}\\p{Cs}\\p{Default_Ignorable_Code_Point}\\u2028\\u2029";

/** Scripts in which words are misspelt without joiners. */
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
 * Hidden characters that ordinary text needs: line ends of Windows, joiners of letters and of emoji, and the style of
 * emoji.
 */
export const ordinary = [
  "\\r(?:\\n|$)",
  // Joiners count only after letters and marks: digits and punctuation join nothing. After a hidden character nobody
  // would see what is joined.
  `(?<=(?=[\\p{L}\\p{M}])(?!\\p{Default_Ignorable_Code_Point})[${joiningScripts}])[\\u200c\\u200d]`,
  "(?<=\\p{Extended_Pictographic}[\\ufe0f\\u{1f3fb}-\\u{1f3ff}]?)\\u200d(?=\\p{Extended_Pictographic})",
  "(?<=\\p{Extended_Pictographic})[\\ufe0e\\ufe0f]",
  "(?<=[0-9#*])\\ufe0f(?=\\u20e3)",
].join("|");
