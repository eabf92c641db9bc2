import type { Requirements } from "./requirement.js";

export const paths: Requirements = {
  "paths.missing-slash-added": {
    source: "specification section 2",
    says: "a path without a leading slash gets one",
  },
  "paths.backslash-is-slash": {
    source: "specification section 2",
    says: "a backslash reads as a slash",
  },
  "paths.repeated-slashes-collapse": {
    source: "specification section 2",
    says: "repeated slashes count as one",
  },
  "paths.trailing-slash-dropped": {
    source: "specification section 2",
    says: "a trailing slash is dropped",
  },
  "paths.root-always-exists": {
    source: "specification section 2",
    says: "the root exists in a memory that was never written, and after its deletion",
  },
  "paths.empty-is-root-for-list": {
    source: "server memory page",
    says: "list takes the empty path for the root",
  },
  "paths.empty-is-refused-elsewhere": {
    source: "specification section 2",
    says: "every other command answers EINVAL to the empty path",
  },
  "paths.plain-by-default": {
    source: "specification section 2",
    says: "a memory opened without options creates names by the rule plain",
  },
  "paths.plain-dots-and-dollars": {
    source: "ADR memory v2",
    says: "the rule plain forbids .. and $ anywhere in a path",
  },
  "paths.plain-segment": {
    source: "ADR memory v2",
    says: "a segment of the rule plain holds letters, digits, _, - and spaces only",
  },
  "paths.posix-names": {
    source: "specification section 2",
    says: "the rule posix takes any Unicode name, such as notes.txt or MEMORY.md, each a file of its own",
  },
  "paths.posix-nfc": {
    source: "specification section 2",
    says: "the rule posix refuses a name that is not in NFC",
  },
  "paths.no-dot-segments": {
    source: "specification section 2",
    says: "the segments . and .. are refused by either rule",
  },
  "paths.no-encoded-traversal": {
    source: "FastMCP4J",
    says: "a segment that is .. after percent-decoding, however often, is refused",
  },
  "paths.no-folded-traversal": {
    source: "specification section 2",
    says: "a segment that is .. after Unicode compatibility folding is refused",
  },
  "paths.no-nul": {
    source: "measured: MongoDB",
    says: "NUL in a path is refused before the server sees it, which would corrupt the whole document",
  },
  "paths.no-nul-in-ids": {
    source: "measured: MongoDB",
    says: "NUL in an id is refused before the server sees it",
  },
  "paths.no-control-characters": {
    source: "specification section 2",
    says: "control characters are refused in paths and ids",
  },
  "paths.no-lone-surrogates": {
    source: "measured: MongoDB",
    says: "lone surrogates, which the driver would let collide, are refused in paths and ids",
  },
  "paths.contents-well-formed": {
    source: "specification section 2",
    says: "a content with a lone surrogate is EINVAL, never silently changed",
  },
  "paths.nul-in-contents": {
    source: "specification section 2",
    says: "NUL in a content is fine",
  },
  "paths.no-operators": {
    source: "specification section 2",
    says: "a path that is no string, such as an operator object, is EINVAL in every command",
  },
  "paths.limits": {
    source: "specification section 2",
    says: "a segment has at most 255 characters, a path 1,024 and 32 levels",
  },
  "paths.reaching": {
    source: "specification section 2",
    says: "what list shows can be read, changed and deleted whichever rule created it",
  },
  "paths.names-are-values": {
    source: "specification section 2",
    says: "__proto__, constructor and their like are names like any other, absent until written",
  },
  "paths.names-are-no-expressions": {
    source: "measured: MongoDB",
    says: "a name that looks like an expression of MongoDB is stored and found as it is",
  },
  "paths.key-is-injective": {
    source: "specification section 5",
    says: "no two paths share a stored key",
  },
  "paths.another-rule-for-one-memory": {
    source: "specification section 2",
    says: "one memory can be used by either rule, with the other options it had",
  },
  "paths.answers-are-normalised": {
    source: "specification section 3",
    says: "an answer repeats the path normalised",
  },
  "paths.decoded-for-the-check-only": {
    source: "specification section 10",
    says: "percent and compatibility forms that are no .. stay the names they are",
  },
};
