import fc from "fast-check";

/** Names whose characters sort before and after each other in several ways: by UTF-16, by UTF-8 and without case. */
const names = ["a", "A", "a-", "a b", "ab", "b", "!", "~", "é", "\uFFFD", "\u{1F9E0}", "a.b", "$a", "%2E"];

/** Paths of files and directories, not of the root. Many of them lie in each other. */
export const randomPaths: fc.Arbitrary<string> = fc
  .array(fc.constantFrom(...names), { minLength: 1, maxLength: 4 })
  .map((segments) => `/${segments.join("/")}`);
