import type { Requirements } from "./requirement.js";

export const directory: Requirements = {
  "directory.own-files": {
    source: "public names",
    says: "a memory is the ordinary files of a folder, named as its paths",
  },
  "directory.hand-edits": {
    source: "public names",
    says: "what a hand changes between two calls is seen by the next one",
  },
  "directory.reads-what-changed": {
    source: "public names",
    says: "a file that has not changed since it was read is not read again; at most 16 MB of texts are kept for that",
  },
  "directory.atomic-across-processes": {
    source: "specification section 4",
    says: "parallel changes of several processes lose and double nothing, first ones included",
  },
  "directory.no-half-commands": {
    source: "specification section 4",
    says: "no reader sees half a change of a folder",
  },
  "directory.survives-kill": {
    source: "specification section 4",
    says: "an acknowledged append survives kill -9 of its process, once, and the next process goes on",
  },
  "directory.lost-lock": {
    source: "specification section 4",
    says: "a process that stood still and lost its lock overwrites nothing",
  },
  "directory.lock-timeout": {
    source: "specification section 4",
    says: "a folder locked by others for too long is EIO, and nothing is changed",
  },
  "directory.leftovers": {
    source: "specification section 4",
    says: "what a crash left is never seen, and is removed",
  },
  "directory.no-links-followed": {
    source: "specification section 4",
    says: "no link inside the folder is followed, by any command",
  },
  "directory.exchanged-directories": {
    source: "specification section 4",
    says: "a directory that is exchanged with a link during a call lets nothing outside be read, changed or deleted",
  },
  "directory.ended-holder": {
    source: "public names",
    says: "the lock of a process that has ended is taken over at once, and of no other",
  },
  "directory.leaves-signals-alone": {
    source: "public names",
    says: "a process that has used a folder ends at SIGTERM",
  },
  "directory.owner-only": {
    source: "measured: @anthropic-ai/sdk 1.12",
    says: "what is new is its owner's only, whatever the umask, unless asked for otherwise",
  },
  "directory.no-special-files": {
    source: "specification section 4",
    says: "pipes and sockets are never opened",
  },
  "directory.portable-names": {
    source: "specification section 2",
    says: "names that Windows, macOS or Linux would refuse are not created",
  },
  "directory.no-twin-names": {
    source: "specification section 2",
    says: "names that some file system takes for one are not created beside each other",
  },
  "directory.exact-names": {
    source: "specification section 2",
    says: "a name by another spelling is missing, whatever the file system finds",
  },
  "directory.reserved-names": {
    source: "specification section 4",
    says: "`.git` and the folder of the lock are no part of a memory",
  },
  "directory.reaching": {
    source: "specification section 2",
    says: "what a hand named is passed over where no path can name it, else read, changed and deleted",
  },
  "directory.keeps-rights": {
    source: "public names",
    says: "a changed file keeps its owner and its mode, but for setuid and setgid, and a read-only one stays",
  },
  "directory.unreadable-files": {
    source: "specification section 9",
    says: "a file that cannot be read, or is no text, is EIO or EFBIG and breaks no other",
  },
  "directory.keeps-bytes": {
    source: "specification section 4",
    says: "a byte order mark and line ends stay as they are",
  },
  "directory.errors": {
    source: "specification section 3",
    says: "what the file system refuses has a code, and no path of the host in its message",
  },
  "directory.options": {
    source: "public names",
    says: "bad options are a TypeError; the address is the folder's name",
  },
  "directory.reads-leave-no-trace": {
    source: "specification section 4",
    says: "reads and refused changes make no file and no folder",
  },
  "directory.git": {
    source: "public names",
    says: "git sees the notes and nothing else",
  },
  "directory.times": {
    source: "specification section 1",
    says: "updatedAt is the file's own time and createdAt never later",
  },
  "directory.journal": {
    source: "specification section 10",
    says: "a folder opened at .agent/memory holds agentool's own files, byte for byte",
  },
  "directory.journal-links": {
    source: "measured: agentool 0.2",
    says: "the journal refuses links that the crate followed, and reads beside a file that is no text",
  },
};
