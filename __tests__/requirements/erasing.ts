import type { Requirements } from "./requirement.js";

const source = "specification section 15";

export const erasing: Requirements = {
  "erasing.list": {
    source,
    says: "listMemories finds memories by node, scope, thread and user, with sizes, files and times",
  },
  "erasing.list-order": { source, says: "the order of listMemories is scope, node, thread or user" },
  "erasing.list-pages": { source, says: "listMemories reads pages, of which each is one command" },
  "erasing.by-index": { source, says: "listMemories reads what it answers and nothing else, by an index" },
  "erasing.checked": {
    source,
    says: "filters and addresses of listMemories and forget are refused, where they are wrong, before anything is sent",
  },
  "erasing.forget": { source, says: "forget removes the memories of an address, a thread or a user, and no other" },
  "erasing.stopped": { source: "specification section 11", says: "a stopped store refuses listMemories and forget" },
  "erasing.races": {
    source,
    says: "what is written while forget runs is a new memory, in which nothing of the old returns",
  },
  "erasing.crash": { source, says: "a forget that was interrupted is finished by the next call" },
};
