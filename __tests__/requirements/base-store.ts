import type { Requirements } from "./requirement.js";

export const baseStore: Requirements = {
  "base-store.every-store": {
    source: "specification section 6",
    says: "a memory works over every BaseStore as it does on MongoDB",
  },
  "base-store.file-item": {
    source: "specification section 6",
    says: "a file is the item of its path in the memory's namespace, with the value { content }",
  },
  "base-store.directory-item": {
    source: "specification section 6",
    says: "a directory is the item whose key ends in a slash, with the value { directory: true }",
  },
  "base-store.namespaces": {
    source: "specification section 6",
    says: "the namespace is memory, the node, the scope and the thread, with %, . and : of ids percent-encoded",
  },
  "base-store.labels-accepted": {
    source: "measured: LangGraph 1.7",
    says: "ids such as e-mail addresses become labels that LangGraph accepts",
  },
  "base-store.serialised-in-a-process": {
    source: "specification section 6",
    says: "commands on one memory are serialised inside a process, also through two memories opened apart",
  },
  "base-store.read-through-the-store": {
    source: "specification section 6",
    says: "a program that reads files through the store's own methods runs unchanged on both",
  },
  "base-store.listed-among-items": {
    source: "specification section 6",
    says: "memories lie in the one order of search and listNamespaces",
  },
  "base-store.put-is-a-write": {
    source: "specification section 6",
    says: "a put through the store is a write, which makes parents and grows the revision",
  },
  "base-store.put-refuses-other-values": {
    source: "specification section 6",
    says: "a put there of anything but { content } of a string is refused",
  },
  "base-store.put-refuses-illegal-paths": {
    source: "specification section 6",
    says: "a put there under a key that is no normalised path is refused",
  },
  "base-store.batch-is-whole": {
    source: "specification section 11",
    says: "a batch of which the memory would refuse a part, a full one too, is refused as a whole",
  },
  "base-store.delete-is-of-one-item": {
    source: "specification section 6",
    says: "a delete through the store removes one file, or an empty directory",
  },
  "base-store.wrapper-undone": {
    source: "measured: LangGraph 1.7",
    says: "a store that LangGraph wrapped, once or twice, is unwrapped, whose batch and listNamespaces would throw",
  },
  "base-store.foreign-documents-left-out": {
    source: "specification section 6",
    says: "documents of ids that no memory can have show nowhere",
  },
  "base-store.fails-as-eio": {
    source: "specification section 3",
    says: "a store that fails is EIO, without its own words in the message",
  },
};
