/** Names that a careless prefix, join, escape, case, normal form or encoding would take for one another. */
export const hostileNames: readonly string[] = [
  "a", "A", "aa", "a a", " a", "a ", "a\u00A0", "a\u200B", "\uFEFFa", "a\n", "a\r", "a\t",
  // Separators, ours and others', and what sorts beside them.
  "a/b", "a//b", "a|b", "a,b", "a\\b", "a;b", "a\u0001", "a\u0001b", "a\u001Fb", "a\u0000b", "a\u0000", "a\u2400b", "a\\0b", "a\\u0000b",
  // Look-alikes of Latin letters, and normal forms.
  "а", "ａ", "𝐚", "é", "e\u0301", "É", "ﬁ", "fi", "Å", "\u212B", "A\u030A", "ß", "ss", "ı", "i", "İ", "ñ", "n\u0303",
  // Encodings of one another.
  "a%2Eb", "a%2eb", "a%252Eb", "a%b", "a%25b", "a%2Fb", "a%3Ab", "a%00b", "a+b", "YQ==", "a&#47;b", "%", "%25", "%2E",
  // Of the database, of the language, of MongoDB's sorting and of ours.
  "$a", "$", "$$ROOT", "$ne", "{}", "[]", "*", "null", "undefined", "0", "-0", "1e0", "true", "__proto__", "constructor", "_bsontype", "_id",
  "\uE000", "\uFFFF", "\u{10000}", "\u{10FFFF}", "\u{10FFFF}0", "\u{10FFFF}\uE000", "a\u{10FFFF}", "a\uE000",
  // Of memories.
  "memory", "Memory", "memory ", "global", "perThread", "perthread", "perUser", "threads", "users", "data", "dirs", "nodeId",
];

/** Those that may be a label: without NUL, which LangGraph refuses. */
export const hostileLabels: readonly string[] = hostileNames.filter((name) => !name.includes("\0"));
