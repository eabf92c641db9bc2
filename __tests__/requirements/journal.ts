import type { Requirements } from "./requirement.js";

export const journal: Requirements = {
  "journal.answers": {
    source: "measured: agentool 0.2",
    says: "the answers are the crate's JSON, byte for byte, where it behaves well",
  },
  "journal.files": {
    source: "measured: agentool 0.2",
    says: "the files are the crate's, byte for byte, where it behaves well",
  },
  "journal.tools": {
    source: "agentool",
    says: "the tools are memory_write, memory_update, memory_read and memory_search, described as the crate describes them, but for tags, which are searched, too",
  },
  "journal.root": {
    source: "specification section 10",
    says: "the root is the memory's own by default, and can be another directory",
  },
  "journal.daily-by-day": {
    source: "agentool",
    says: "memory_write adds to YYYY/MM/DD.md of the UTC date, to MEMORY.md where the target is summary",
  },
  "journal.key-exists": {
    source: "agentool",
    says: "a key that stands in any file is MEMORY_KEY_EXISTS",
  },
  "journal.key-not-found": {
    source: "agentool",
    says: "a key that stands nowhere is MEMORY_KEY_NOT_FOUND",
  },
  "journal.canonical-everywhere": {
    source: "agentool",
    says: "memory_read and memory_update take the same block, the newest of all daily files, whoever wrote it",
  },
  "journal.summary-first": {
    source: "agentool",
    says: "memory_read answers the block of the summary before any daily one",
  },
  "journal.update-in-place": {
    source: "agentool",
    says: "memory_update takes the block away and adds the new one at the end of the same file",
  },
  "journal.update-keeps-tags": {
    source: "specification section 10",
    says: "memory_update without tags keeps them",
  },
  "journal.update-adds-no-lines": {
    source: "measured: agentool 0.2",
    says: "updates add no blank lines",
  },
  "journal.update-keeps-sections": {
    source: "measured: agentool 0.2",
    says: "an update of a block without metadata leaves the sections after it",
  },
  "journal.search-order": {
    source: "agentool",
    says: "memory_search lists the summary first, then the newest",
  },
  "journal.search-tags": {
    source: "agentool",
    says: "a search finds blocks that have all of the tags; an empty query goes by tags alone",
  },
  "journal.search-ignores-case": {
    source: "agentool",
    says: "a search is for a literal text in keys and contents, in any case",
  },
  "journal.on-every-store": {
    source: "specification section 8",
    says: "the journal works on MongoDB and on a generic store",
  },
  "journal.search-limit": {
    source: "agentool",
    says: "a search answers 10 by default and at most 100; another limit is refused",
  },
  "journal.search-says-what-was-cut": {
    source: "measured: agentool 0.2",
    says: "a search that was cut says total and truncated",
  },
  "journal.times-are-instants": {
    source: "measured: agentool 0.2",
    says: "times are compared as instants, not as text",
  },
  "journal.clock": {
    source: "specification section 10",
    says: "times come from the clock of the options, the system's without one",
  },
  "journal.contents-come-back": {
    source: "measured: agentool 0.2",
    says: "indentation, leading blank lines and CRLF of a content come back",
  },
  "journal.headings-split-nothing": {
    source: "measured: agentool 0.2",
    says: "a heading in a content splits no block",
  },
  "journal.metadata-cannot-be-forged": {
    source: "measured: agentool 0.2",
    says: "a content or a tag cannot forge metadata or blocks",
  },
  "journal.crate-reads-the-same": {
    source: "measured: agentool 0.2",
    says: "the crate reads the same keys, times and tags from our files",
  },
  "journal.tags-checked": {
    source: "measured: agentool 0.2",
    says: "tags are an array of strings that the format can carry",
  },
  "journal.keys-checked": {
    source: "agentool",
    says: "a key is one line, not blank, NFC, without control characters, of at most 512 characters",
  },
  "journal.targets-checked": {
    source: "agentool",
    says: "a target other than daily or summary is MEMORY_INVALID_TARGET",
  },
  "journal.order-of-checks": {
    source: "measured: agentool 0.2",
    says: "arguments are checked in the crate's order",
  },
  "journal.unknown-arguments": {
    source: "specification section 10",
    says: "an unknown argument is refused",
  },
  "journal.content-limit": {
    source: "measured: agentool 0.2",
    says: "a content has at most 100,000 characters",
  },
  "journal.hand-written": {
    source: "agentool",
    says: "hand-written Markdown is read, and stays as it is around what an update changes",
  },
  "journal.hand-written-line-endings": {
    source: "measured: agentool 0.2",
    says: "a file keeps its line ending and its byte order mark",
  },
  "journal.which-files": {
    source: "measured: agentool 0.2",
    says: "hidden files, packages and other spellings of .md are not read; only MEMORY.md at the root is the summary",
  },
  "journal.duplicates-told": {
    source: "specification section 10",
    says: "further blocks of a key are told as duplicates",
  },
  "journal.no-write-is-lost": {
    source: "measured: agentool 0.2",
    says: "writes of several processes at once lose nothing, of which the crate loses about nine in ten",
  },
  "journal.key-accepted-once": {
    source: "measured: agentool 0.2",
    says: "a key that several processes write is accepted once",
  },
  "journal.dead-writers-pass": {
    source: "specification section 4",
    says: "the key that a writer has reserved and not written is free again",
  },
  "journal.reservations-are-not-believed": {
    source: "specification section 4",
    says: "the reservations of keys may hold anything, or be removed, and changes no answer",
  },
  "journal.read-cost": {
    source: "specification section 10",
    says: "a read by key takes one server command, however long the journal is",
  },
  "journal.few-commands": {
    source: "specification section 4",
    says: "uncontended calls take few server commands",
  },
  "journal.thread-of-the-run": {
    source: "specification section 10",
    says: "the thread comes from the run, and its lack is told in the journal's own form",
  },
  "journal.never-throws": {
    source: "specification section 10",
    says: "arguments of any shape, a failing storage or clock are answered in the journal's own form",
  },
  "journal.no-host-paths": {
    source: "measured: agentool 0.2",
    says: "a failing storage is told without its address or a path of the host",
  },
  "journal.either-path-rule": {
    source: "specification section 10",
    says: "the journal works on a memory of either path rule",
  },
  "journal.options-checked": {
    source: "specification section 9",
    says: "bad options are a TypeError",
  },
  "journal.hidden-characters": {
    source: "specification section 10",
    says: "answers hold special tokens and hidden characters as escapes of JSON, and mean the same",
  },
};
