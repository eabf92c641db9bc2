import type { Requirements } from "./requirement.js";

export const memory: Requirements = {
  "memory.holds-text": {
    source: "specification section 1",
    says: "a file reads as it was written, whatever well-formed text it holds",
  },
  "memory.strings-only": {
    source: "ADR memory v2",
    says: "a content that is no string is refused, so other values are serialised by the caller",
  },
  "memory.directories-of-files": {
    source: "specification section 1",
    says: "a directory exists because a file lies in it",
  },
  "memory.directories-without-files": {
    source: "specification section 1",
    says: "a directory exists because it was made, though it never held a file",
  },
  "memory.emptied-directory-stays": {
    source: "specification section 1",
    says: "a directory stays when its last file goes",
  },
  "memory.empty-until-written": {
    source: "specification section 1",
    says: "a memory that was never written is an empty root, not a failure",
  },
  "memory.global-by-default": {
    source: "specification section 1",
    says: "an address without a scope is the node's global memory",
  },
  "memory.global-is-shared-by-threads": {
    source: "specification section 1",
    says: "all threads see and change the one global memory of a node",
  },
  "memory.global-has-no-thread": {
    source: "specification section 1",
    says: "an address of the global scope with a thread is refused",
  },
  "memory.per-thread-is-apart": {
    source: "specification section 1",
    says: "the memory of a thread is not seen from another thread, nor from the global one",
  },
  "memory.per-user-is-apart": {
    source: "specification section 1",
    says: "the memory of a user is not seen from another user, from a thread or from the global one",
  },
  "memory.user-of-the-run": {
    source: "specification section 12",
    says: "the user is the one that the node's function, the server, the configurable or the context names, in this order",
  },
  "memory.missing-owner-is-told": {
    source: "specification section 12",
    says: "a run without its thread or user is EINVAL to the tool, told to onError, and warned of once a process",
  },
  "memory.ids-that-are-no-text": {
    source: "specification section 12",
    says: "a thread or user that is no text is refused alike by tool and connector, and no other id is taken instead",
  },
  "memory.functions-for-ids": {
    source: "specification section 12",
    says: "a function for an id that throws, answers no text or never answers fails the call, and never chooses another memory",
  },
  "memory.thread-of-the-run": {
    source: "specification section 1",
    says: "the thread is the run's configurable.thread_id",
  },
  "memory.per-thread-needs-thread": {
    source: "specification section 1",
    says: "a thread that is missing, empty or no string is EINVAL, thread_id is required for perThread scope",
  },
  "memory.no-fallback-on-read": {
    source: "specification section 1",
    says: "the tool reads nothing of the global memory in a thread whose own is empty",
  },
  "memory.no-fallback-on-write": {
    source: "specification section 1",
    says: "the tool changes nothing of the global memory from a thread",
  },
  "memory.ids-are-any-strings": {
    source: "specification section 1",
    says: "e-mail addresses, a:b, a/b and any Unicode of at most 512 characters are ids",
  },
  "memory.ids-are-exact-bytes": {
    source: "specification section 1",
    says: "ids that differ in one byte, such as in case or in Unicode form, are two memories",
  },
  "memory.ids-are-no-operators": {
    source: "specification section 1",
    says: "an id that is no string, such as an operator object, is EINVAL",
  },
  "memory.no-two-addresses-share": {
    source: "reported: other memories",
    says: "of more than 100,000 pairs of hostile addresses none reads, lists, changes or deletes the other's memory",
  },
  "memory.stat-tells-kind-size-times": {
    source: "public names",
    says: "stat tells kind, bytes and times, and null where nothing is",
  },
  "memory.stat-of-change": {
    source: "specification section 5",
    says: "createdAt stays and updatedAt moves when a file changes",
  },
  "memory.snapshot-is-whole": {
    source: "public names",
    says: "a snapshot holds every file and directory, sorted by path, and the revision",
  },
  "memory.outline-has-contents-that-fit": {
    source: "specification section 7",
    says: "what the connector reads has sizes, and contents only where all of them fit",
  },
  "memory.outline-has-starts": {
    source: "specification section 7",
    says: "an outline has the start of each text where it is asked for",
  },
  "memory.write-modes": {
    source: "public names",
    says: "write creates or replaces, and refuses either where told so",
  },
  "memory.edit-changes-the-text-it-saw": {
    source: "public names",
    says: "edit writes what its change makes of the text, and passes on what that throws",
  },
  "memory.edit-runs-again-after-a-lost-race": {
    source: "public names",
    says: "the change of an edit runs again on the newer text where another writer came first",
  },
  "memory.edit-gives-up-with-econflict": {
    source: "specification section 3",
    says: "an edit that keeps losing its race is ECONFLICT and changed nothing",
  },
  "memory.rename-moves-files-and-directories": {
    source: "public names",
    says: "rename moves a file, or a directory with all below it, and nothing beside it",
  },
  "memory.rename-never-overwrites": {
    source: "public names",
    says: "rename onto what exists is EEXIST, and of several racing ones one wins",
  },
  "memory.rename-refuses-what-cannot-be": {
    source: "public names",
    says: "the root, a directory into itself and a place below a file are refused",
  },
  "memory.rename-keeps-the-limits": {
    source: "specification section 2",
    says: "a rename that would make a path below too long or too deep is refused",
  },
  "memory.agrees-with-the-trivial-model": {
    source: "specification section 3",
    says: "any sequence of commands answers, and leaves the memory, as a tree in plain objects would",
  },
  "memory.delete-of-files-only": {
    source: "public names",
    says: "a delete of files only refuses a directory, whose files stay",
  },
};
