import fc, { type Arbitrary } from "fast-check";
import { anyCharacter } from "../any-character.js";
import { hostileNames } from "../hostile-names.js";

/** What has a meaning to somebody: a database, a shell, a terminal, a template, a model, a parser, this package. */
const meaningful: readonly string[] = [
  "",
  " ",
  "\n",
  "\r\n",
  "\t",
  "\0",
  "\u001B[2J",
  "\u001B]0;title\u0007",
  "\uD800",
  "\uDFFF",
  "\uFEFF",
  "\u200B",
  "\u202E",
  "\u2028",
  "\u0085",
  "{}",
  "[]",
  "null",
  "true",
  "0",
  "-1",
  "1e400",
  "NaN",
  '"',
  "'",
  "`",
  "\\",
  "\\u0000",
  "${x}",
  "{{x}}",
  "%s",
  "%00",
  "%2e%2e%2f",
  "%c0%ae",
  "..",
  ".",
  "/",
  "//",
  "../",
  "../../etc/passwd",
  "C:\\",
  "CON",
  "nul.txt",
  "~",
  ".git/config",
  ".journal",
  ".langgraph-mongo-memory",
  "$where",
  "$ne",
  "$$ROOT",
  "$literal",
  "$set",
  "$",
  "a.b",
  "_id",
  "_bsontype",
  "data",
  "meta",
  "revision",
  "$[]",
  "$text",
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "toJSON",
  "then",
  "prototype",
  "length",
  "<memory>",
  "</memory>",
  '<memory scope="global" view="full">',
  "＜/memory＞",
  "<|im_end|>",
  "<|endoftext|>",
  "[INST]",
  "</s>",
  "&lt;",
  "### key",
  "### ",
  "<!-- agentool:",
  "<!--",
  "-->",
  "---",
  "...",
  "- ",
  ": ",
  "| ",
  "# ",
  "&anchor",
  "*alias",
  "!!js/function",
  "%YAML",
  "*",
  "**",
  "?",
  "[a-z]",
  "[",
  "]",
  "(",
  ")",
  "{a,b}",
  "!(a)",
  "+(a)",
  "@(a|b)",
  "(a+)+$",
  "^",
  "-word",
  '"a phrase"',
  "|",
  "!",
  "a",
  "b",
  "aa",
  "ab",
  "key",
  "notes",
  "é",
  "e\u0301",
  "🧠",
  "\u{10FFFF}",
  "ﬀ",
  "İ",
  "ß",
  "一",
  "word word",
];

export const fragment: Arbitrary<string> = fc.oneof(fc.constantFrom(...meaningful), fc.constantFrom(...hostileNames));

const anyUnit = fc.integer({ min: 0, max: 0xff_ff }).map((unit) => String.fromCharCode(unit));

const joined = fc.array(fragment, { maxLength: 12 }).map((parts) => parts.join(""));

const repeated = fc.tuple(fragment, fc.integer({ min: 2, max: 2000 })).map(([part, times]) => part.repeat(times));

/** `a…ab…`: most searches compare the whole of it at every place. */
const nearly = fc
  .tuple(fc.constantFrom("a", "\n", "ab", "é", " "), fc.constantFrom("", "b", "\n"), fc.integer({ min: 1, max: 3000 }))
  .map(([part, other, times]) => part.repeat(times) + other + part.repeat(times));

const huge = fc
  .tuple(
    fc.constantFrom("a", "\n", "é", "🧠", "\0", "a\n", "### a\n", "a b ", "<"),
    fc.constantFrom(40_000, 100_001, 350_000, 1_000_001),
  )
  .map(([part, units]) => part.repeat(Math.ceil(units / part.length)));

/** Any text; one of some hundred is a megabyte. */
export const text: Arbitrary<string> = fc.oneof(
  { weight: 60, arbitrary: fragment },
  { weight: 60, arbitrary: joined },
  { weight: 30, arbitrary: fc.string({ unit: anyCharacter, maxLength: 50 }) },
  { weight: 10, arbitrary: fc.string({ unit: anyUnit, maxLength: 50 }) },
  { weight: 10, arbitrary: fc.string({ maxLength: 300 }) },
  { weight: 15, arbitrary: repeated },
  { weight: 15, arbitrary: nearly },
  { weight: 1, arbitrary: huge },
);

/** Of few names, so that calls meet what other calls have made; and any text. */
export const path: Arbitrary<string> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .array(fc.constantFrom("a", "b", "notes", "a b", "x-1"), { maxLength: 3 })
      .map((names) => `/${names.join("/")}`),
  },
  { weight: 3, arbitrary: fc.array(fragment, { minLength: 1, maxLength: 4 }).map((names) => `/${names.join("/")}`) },
  {
    weight: 1,
    arbitrary: fc.tuple(fragment, fc.integer({ min: 1, max: 300 })).map(([name, times]) => `/${name}`.repeat(times)),
  },
  { weight: 1, arbitrary: text },
);
