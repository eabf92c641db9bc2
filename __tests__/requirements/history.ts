import type { Requirements } from "./requirement.js";

const source = "specification section 13";

export const history: Requirements = {
  "history.versions": {
    source,
    says: "each change of a file makes one version, and a change that changes nothing none",
  },
  "history.one-step": { source, says: "whatever crashes, each change has its version, once, in one order" },
  "history.cost": { source, says: "a change takes at most 1.1 commands on average" },
  "history.read-cost": { source, says: "one version costs the same to read, however many other files there are" },
  "history.model": { source, says: "trees, texts, diffs and blame agree with a list of all trees" },
  "history.readable-diffs": {
    source,
    says: "a diff for people shows no line as changed that did not change, and a diff for programs is exact",
  },
  "history.list": { source, says: "versions are listed by path, actor, operation and time, newest first" },
  "history.at": { source, says: "the tree is read as it was right after a version, or at a time" },
  "history.actor": { source, says: "the run says who acts, over the program, and no model" },
  "history.revert": { source, says: "a revert is one step, and refuses to undo a later change" },
  "history.redact": { source, says: "a redacted text is in no document, and the texts around it stay" },
  "history.find-text": { source, says: "where a text stands is shown before it is redacted" },
  "history.redact-text": {
    source,
    says: "a redacted text is in no document, and lines that stay keep their versions",
  },
  "history.redact-approvals": {
    source,
    says: "a redacted text is nowhere, whatever approval is under way or was interrupted by a crash",
  },
  "history.redact-progress": {
    source,
    says: "a redaction that ends early leaves less to the next call, and changes of other files do not stop it",
  },
  "history.redact-names": { source, says: "a redacted text is in no name of an actor, and the ids stay" },
  "history.redact-digests": { source, says: "no digest is left from which a redacted text can be guessed" },
  "history.redact-ties": { source, says: "a redacted version takes along the proposals that have exactly its text" },
  "history.redact-directories": {
    source,
    says: "after a redaction no earlier tree has a directory that was not there",
  },
  "history.redact-present": {
    source,
    says: "a text that a present file has is refused, or cut there in the same act",
  },
  "history.rights": { source, says: "revert and redact need the right to write" },
  "history.mounts": { source, says: "a tree of mounts has the histories of its memories" },
  "history.kept": { source, says: "what is no longer kept is never told wrongly" },
  "history.erased": { source, says: "forget and expiry take versions along" },
  "history.limits": { source, says: "what is recorded counts for no limit" },
  "history.indexes": {
    source,
    says: "what is asked of versions and proposals examines those of one memory only, by an index",
  },
  "history.off": { source, says: "a store without history changes the same memories exactly, and records nothing" },
};
