import type { Requirements } from "./requirement.js";

const source = "specification section 16";

export const files: Requirements = {
  "files.document-for-each-file": { source, says: "the layout files keeps a document for each file and directory, whose id begins with the memory" },
  "files.standalone-refused": { source, says: "a standalone server is refused with the reason and what to do, and nothing is made there" },
  "files.no-limit": { source, says: "a limit of a whole memory is refused and not ignored" },
  "files.one-command": { source, says: "a read, and a change of an existing file, is one command; a creation in an existing directory is three" },
  "files.flat": { source, says: "what a command examines does not grow with the memory" },
  "files.creations-gathered": { source, says: "files that a process makes at the same time go into few transactions, and each caller has an answer of its own" },
  "files.transactions": { source, says: "changes of the tree that race, or whose connection breaks, are made as a whole and once, or not at all" },
  "files.expiry": { source, says: "a memory expires by the latest change of anything in it, and is swept by a store" },
  "files.archives": { source, says: "export, import and copy hold a part of the texts of a memory of any size, which they read as of one moment" },
  "files.copy": { source, says: "copy takes memories from one layout to the other" },
};
