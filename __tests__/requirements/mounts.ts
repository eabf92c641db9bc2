import type { Requirements } from "./requirement.js";

const source = "specification section 12";

export const mounts: Requirements = {
  "mounts.longest-prefix": {
    source,
    says: "the longest mount point that is a prefix of a path by whole names decides in which memory it lies",
  },
  "mounts.points-exist": {
    source,
    says: "mount points and the directories above them exist, whatever the memories hold",
  },
  "mounts.points-stay": {
    source,
    says: "mount points and the directories above them cannot be deleted, renamed, replaced or written to",
  },
  "mounts.points-cannot-be-hidden": {
    source,
    says: "nothing that a memory holds hides a mount point, and what a mount hides is not seen",
  },
  "mounts.delete-spares-others": {
    source,
    says: "deleting a directory takes what lies in its own memory, and spares memories mounted below it",
  },
  "mounts.rename-across-memories": {
    source,
    says: "a rename from one memory into another is EXDEV and changes nothing",
  },
  "mounts.root-without-memory": {
    source,
    says: "a root without a memory holds the mount points, and nothing can be created in it",
  },
  "mounts.paths-of-the-tree": { source, says: "answers and errors tell paths of the tree" },
  "mounts.reaching": { source, says: "every path of a mounted memory can be reached in the tree" },
  "mounts.each-memory-once": { source, says: "a command asks the memories that it concerns, each once" },
  "mounts.checked": {
    source,
    says: "bad mounts are refused by a TypeError that says what was given and what would do",
  },
  "mounts.of-nodes": {
    source,
    says: "a node's own memory is at the root, and memories of its store or any others are mounted below it",
  },
  "mounts.owner-of-the-run": {
    source,
    says: "the thread or user of a mount is found as that of the node's own memory",
  },
  "mounts.without-owner": {
    source,
    says: "a tree goes on without a mount whose thread or user the run does not name; what is asked of it is EINVAL, and the connector tells it",
  },
  "mounts.beside-writers": {
    source,
    says: "a mount exchanged beside writers takes nothing that neither allows, and writers through several trees lose no change of a memory that they share",
  },
  "mounts.access": {
    source,
    says: "the access of a mount, and the rules and the guard of a node, hold by the paths of the tree",
  },
  "mounts.told-to-models": { source, says: "the description of a tool tells what may be done at each mount" },
  "mounts.one-message": {
    source,
    says: "the connector shows all mounts in one message, each after a line with its mount point, description, scope and access",
  },
  "mounts.fallback-at-the-root": {
    source,
    says: "only the node's own memory, at the root, falls back to the global one",
  },
  "mounts.shares": { source, says: "maxChars of a mount bounds what is shown of it, and what is left out is counted" },
  "mounts.descriptions-are-data": { source, says: "a description is shown on one line and cannot close the fence" },
  "mounts.random-access": {
    source,
    says: "in any tree of mounts and rules everybody may do what the access and the rules say, and no more",
  },
  "mounts.agree-with-the-trivial-model": {
    source,
    says: "any tree of memories of any backend answers any commands as the trivial model does",
  },
};
