import type { Requirements } from "./requirement.js";

const source = "specification section 12";

export const mounts: Requirements = {
  "mounts.longest-prefix": { source, says: "the longest mount point that is a prefix of a path by whole names decides in which memory it lies" },
  "mounts.points-exist": { source, says: "mount points and the directories above them exist, whatever the memories hold" },
  "mounts.points-stay": { source, says: "mount points and the directories above them cannot be deleted, renamed, replaced or written to" },
  "mounts.points-cannot-be-hidden": { source, says: "nothing that a memory holds hides a mount point, and what a mount hides is not seen" },
  "mounts.delete-spares-others": { source, says: "deleting a directory takes what lies in its own memory, and spares memories mounted below it" },
  "mounts.rename-across-memories": { source, says: "a rename from one memory into another is EXDEV and changes nothing" },
  "mounts.root-without-memory": { source, says: "a root without a memory holds the mount points, and nothing can be created in it" },
  "mounts.paths-of-the-tree": { source, says: "answers and errors tell paths of the tree" },
  "mounts.reaching": { source, says: "every path of a mounted memory can be reached in the tree" },
  "mounts.each-memory-once": { source, says: "a command asks the memories that it concerns, each once" },
  "mounts.no-append-where-a-read-fails": { source, says: "a snapshot with an append changes nothing if one of the memories cannot be read" },
  "mounts.checked": { source, says: "bad mounts are refused by a TypeError that says what was given and what would do" },
  "mounts.agree-with-the-trivial-model": { source, says: "any tree of memories of any backend answers any commands as the trivial model does" },
};
