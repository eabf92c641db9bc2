import type { Requirements } from "./requirement.js";

export const deepagents: Requirements = {
  "deepagents.own-tools-work": {
    source: "specification section 8",
    says: "a deep agent writes, reads, edits, finds and deletes with its own tools",
  },
  "deepagents.prompt-and-skills": {
    source: "measured: deepagents 1.14",
    says: "memory and skills of a deep agent are found behind a CompositeBackend, which asks for downloads",
  },
  "deepagents.answers-as-its-own": {
    source: "measured: deepagents 1.14",
    says: "reads, listings, globs and greps answer as deepagents' own backends",
  },
  "deepagents.globs-are-linear": {
    source: "specification section 8",
    says: "no glob takes time that grows faster than its length and that of the paths",
  },
  "deepagents.edits-as-its-own": {
    source: "measured: deepagents 1.14",
    says: "edits leave the same text and say the same as deepagents' own",
  },
  "deepagents.window-of-lines": {
    source: "measured: deepagents 1.14",
    says: "a read tells its window and where the next one begins, 500 lines unless told otherwise",
  },
  "deepagents.edits-are-literal": {
    source: "measured: deepagents 1.14",
    says: "both texts of an edit are literal",
  },
  "deepagents.edit-of-one-occurrence": {
    source: "measured: deepagents 1.14",
    says: "an edit whose text occurs nowhere, or more than once without replaceAll, changes nothing",
  },
  "deepagents.writes-replace": {
    source: "measured: deepagents 1.14",
    says: "a write creates by the rule posix, and replaces",
  },
  "deepagents.listing": {
    source: "measured: deepagents 1.14",
    says: "ls shows sizes, directories with a slash at their end, and nothing deeper",
  },
  "deepagents.grep-stops": {
    source: "measured: deepagents 1.14",
    says: "grep stops at the given number of matches and says so",
  },
  "deepagents.delete-recursive": {
    source: "measured: deepagents 1.14",
    says: "delete takes a directory with all below it",
  },
  "deepagents.downloads-and-uploads": {
    source: "measured: deepagents 1.14",
    says: "files come back from transfers byte for byte, and each refusal has its word",
  },
  "deepagents.text-only": {
    source: "ADR memory v2",
    says: "what is no text is refused",
  },
  "deepagents.failures-are-answers": {
    source: "measured: deepagents 1.14",
    says: "a failing storage is an answer, never thrown, without a word of the host",
  },
  "deepagents.failed-prompt-is-told": {
    source: "measured: deepagents 1.14",
    says: "a memory that cannot be loaded is told to onError, which deepagents itself only debugs",
  },
  "deepagents.thread-of-the-run": {
    source: "specification section 1",
    says: "the memory is that of the run's thread, and its lack is told",
  },
  "deepagents.store-of-the-agent": {
    source: "public names",
    says: "a node without a store uses the agent's",
  },
  "deepagents.parallel-edits-land": {
    source: "measured: deepagents 1.14",
    says: "all edits of one turn land, of which deepagents' own store loses all but one",
  },
  "deepagents.edits-of-two-programs": {
    source: "specification section 4",
    says: "edits of two programs at once all land",
  },
  "deepagents.interrupts-and-aborts": {
    source: "specification section 3",
    says: "interrupts and aborts pass through",
  },
  "deepagents.no-sandbox": {
    source: "measured: deepagents 1.14",
    says: "the backend is nothing that deepagents takes for a sandbox",
  },
  "deepagents.few-commands": {
    source: "specification section 4",
    says: "a method is one server command, an edit two",
  },
  "deepagents.options-checked": {
    source: "specification section 9",
    says: "bad options, or what is no memory, are a TypeError",
  },
};
