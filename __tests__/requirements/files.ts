import type { Requirements } from "./requirement.js";

const source = "specification section 16";

export const files: Requirements = {
  "files.document-for-each-file": {
    source,
    says: "the layout files keeps a document for each file and directory, whose id begins with the memory",
  },
  "files.standalone-refused": {
    source,
    says: "a standalone server is refused with the reason and what to do, and nothing is made there",
  },
  "files.limit": {
    source,
    says: "a limit of a whole memory is kept where it is asked for, on every way, and counts the bytes of the texts",
  },
  "files.limit-exact": {
    source,
    says: "writers with a limit never exceed it together, and each has an answer of its own",
  },
  "files.limit-cost": {
    source,
    says: "a memory without a limit sends no command more; with one, a growing change reads the sizes of all files once in a transaction",
  },
  "files.one-command": {
    source,
    says: "a read, and a change of an existing file, is one command; a creation in an existing directory is at most four",
  },
  "files.flat": { source, says: "what a command examines does not grow with the memory" },
  "files.outline-bounded": {
    source,
    says: "a connector of a memory of any size reads what it can show and counts to 10,000, and shows what it would show of the whole outline",
  },
  "files.creations-gathered": {
    source,
    says: "files that a process makes at the same time go into few transactions, and each caller has an answer of its own",
  },
  "files.transactions": {
    source,
    says: "changes of the tree that race, or whose connection breaks, are made as a whole and once, or not at all",
  },
  "files.expiry": { source, says: "a memory expires by the latest change of anything in it, and is swept by a store" },
  "files.moved": {
    source,
    says: "a memory moves to the other layout with all that belongs to it, and every store finds it where it is",
  },
  "files.moved-whole": {
    source,
    says: "programs that read and change a memory while it moves see the old one or the new one, and nothing is lost",
  },
  "files.moved-history": { source, says: "versions and proposals go with a memory that moves" },
  "files.moved-forgotten": {
    source,
    says: "a memory that has moved is forgotten and expires where it is, and is made anew where the store makes memories",
  },
  "files.moved-refused": { source, says: "a memory that cannot move is refused in words, and stays as it is" },
  "files.moved-watched": { source, says: "a watch follows a memory that moves" },
};
