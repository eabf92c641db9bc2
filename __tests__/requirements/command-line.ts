import type { Requirements } from "./requirement.js";

export const commandLine: Requirements = {
  "command-line.reads": {
    source: "specification section 8",
    says: "ls, tree and cat show what a memory holds, in a database and in a folder",
  },
  "command-line.writes": {
    source: "specification section 8",
    says: "append, write, rm and mv change it",
  },
  "command-line.memories": {
    source: "specification section 15",
    says: "memories lists the memories of a database by node, thread, user and scope",
  },
  "command-line.forget": {
    source: "specification section 15",
    says: "forget erases the memories of a user, a thread or an address, and asks before it does",
  },
  "command-line.sweep": {
    source: "specification section 15",
    says: "sweep erases what nobody has changed for an age that is given for each scope, and asks before it does",
  },
  "command-line.grep": {
    source: "reported: other memories",
    says: "grep finds a literal text or a regular expression with line numbers",
  },
  "command-line.search": {
    source: "specification section 17",
    says: "search prints the lines of the best passages, below a path, at most so many",
  },
  "command-line.history": {
    source: "specification section 13",
    says: "log, diff, blame, revert and redact work on the history of a memory",
  },
  "command-line.history-goes-on": {
    source: "specification section 13",
    says: "what the command line changes has its version where the memory has a history, by an actor that names the program",
  },
  "command-line.proposals": {
    source: "specification section 14",
    says: "proposals, approve and reject show what agents propose and decide about it in the name of a person",
  },
  "command-line.times": {
    source: "specification section 13",
    says: "a time is ISO 8601 in UTC, or how long ago it was, such as 30d, and nothing that reads in two ways",
  },
  "command-line.json": {
    source: "reported: other memories",
    says: "every command answers with JSON where asked to, errors with their code",
  },
  "command-line.pipes": {
    source: "reported: other memories",
    says: "a reader that leaves the pipe is no fault",
  },
  "command-line.doctor": {
    source: "reported: other memories",
    says: "doctor finds missing and foreign indexes, memories near their limit and the earlier format, and changes nothing",
  },
  "command-line.earlier-format": {
    source: "specification section 5",
    says: "memories of the earlier system are rewritten once, and nothing else is",
  },
  "command-line.migrates-the-official-store": {
    source: "measured: MongoDBStore 1.4",
    says: "items and files of the official store are copied, and a second time nothing changes",
  },
  "command-line.export-and-import": {
    source: "reported: other memories",
    says: "any memory comes back the same from an export",
  },
  "command-line.archives-with-history": {
    source: "specification section 15",
    says: "an export has the versions with their texts when told to, for reading, and redacted versions redacted",
  },
  "command-line.export-keeps-memories-apart": {
    source: "specification section 1",
    says: "an export of all memories keeps each apart",
  },
  "command-line.export-of-a-person": {
    source: "specification section 15",
    says: "an export of a user or a thread has the memories of all nodes",
  },
  "command-line.import-replaces-when-told": {
    source: "specification section 4",
    says: "an import replaces other contents only when told to, and deletes nothing",
  },
  "command-line.import-is-checked-first": {
    source: "specification section 4",
    says: "an import that a memory cannot take is refused before anything is written",
  },
  "command-line.goes-on": {
    source: "specification section 4",
    says: "an import that was broken off goes on where it was",
  },
  "command-line.imports-in-batches": {
    source: "specification section 4",
    says: "an import into MongoDB writes many small files by one change",
  },
  "command-line.hostile-archives": {
    source: "FastMCP4J",
    says: "an archive whose paths lead out of a memory, or with what is no ordinary file, is refused",
  },
  "command-line.archive-limits": {
    source: "specification section 4",
    says: "an archive is read to its first fault, and a line with too many bytes, values, keys or levels is one before it is parsed",
  },
  "command-line.owner-only": {
    source: "public names",
    says: "an export is its owner's only, whatever the umask",
  },
  "command-line.users": {
    source: "specification section 12",
    says: "every command works on the memory of a user as on that of a thread, and keeps them apart",
  },
  "command-line.mounts": {
    source: "specification section 12",
    says: "--mount puts other memories of the database into the tree that a command looks into, changes or serves",
  },
  "command-line.new-memories": {
    source: "reported: other memories",
    says: "write, append and mcp tell of a memory that did not exist",
  },
  "command-line.archives-of-version-0-1-0": {
    source: "specification section 1",
    says: "a JSONL backup that version 0.1.0 has written comes back",
  },
  "command-line.memory-that-is-not-there": {
    source: "specification section 12",
    says: "a memory that was never written is told from an empty one, with the nodes that have memories",
  },
  "command-line.examples": {
    source: "public names",
    says: "init lists the examples and copies one into an empty folder",
  },
  "command-line.faults": {
    source: "specification section 9",
    says: "a fault is one sentence with an exit code of its kind",
  },
  "command-line.secrets": {
    source: "specification section 3",
    says: "no password of a connection string is ever printed",
  },
  "command-line.terminal": {
    source: "reported: other memories",
    says: "a terminal gets no control sequence out of a file, a name or a fault; a pipe gets every byte",
  },
  "command-line.databases": {
    source: "public names",
    says: "the database is that of the option, else of the connection string",
  },
  "command-line.time-limits": {
    source: "specification section 4",
    says: "a server that does not answer is waited for a few seconds",
  },
  "command-line.faults-change-nothing": {
    source: "specification section 4",
    says: "a fault of the input or of the server leaves everything as it was",
  },
};
