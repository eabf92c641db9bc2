import type { Requirements } from "./requirement.js";

export const mongodb: Requirements = {
  "mongodb.document": {
    source: "specification section 5",
    says: "a memory is one document with nodeId, scope, threadId, data, dirs, meta, revision, createdAt and updatedAt",
  },
  "mongodb.dotted-literal-keys": {
    source: "ADR memory v2",
    says: "/a/b is the literal key a.b of data, never a nested object",
  },
  "mongodb.directories": {
    source: "ADR memory v2",
    says: "every parent directory of a file is in dirs",
  },
  "mongodb.global-has-no-thread-field": {
    source: "specification section 5",
    says: "the document of a global memory has no threadId",
  },
  "mongodb.escaped-keys": {
    source: "specification section 5",
    says: "dots, percent signs and leading dollars of a name are escaped in the key",
  },
  "mongodb.plain-keys-unchanged": {
    source: "specification section 5",
    says: "a path that is legal by the rule plain keeps its key",
  },
  "mongodb.revision": {
    source: "specification section 5",
    says: "the revision grows by one with each change and by none without",
  },
  "mongodb.one-document-for-an-address": {
    source: "specification section 5",
    says: "racing first writes make one document",
  },
  "mongodb.index-global": {
    source: "ADR memory v2",
    says: "uniq_global is unique on nodeId and scope of global memories",
  },
  "mongodb.index-per-thread": {
    source: "ADR memory v2",
    says: "uniq_per_thread is unique on nodeId, scope and threadId of memories of threads",
  },
  "mongodb.indexes-idempotent": {
    source: "ADR memory v2",
    says: "making the indexes again does no harm",
  },
  "mongodb.indexes-at-first-use": {
    source: "specification section 5",
    says: "the indexes are made at first use, without start()",
  },
  "mongodb.indexes-in-the-way": {
    source: "specification section 5",
    says: "other indexes of the same name are a clear error, and nothing is dropped",
  },
  "mongodb.earlier-documents-read": {
    source: "specification section 5",
    says: "documents of the earlier system, with nested objects, are read correctly by every command",
  },
  "mongodb.earlier-documents-rewritten": {
    source: "specification section 5",
    says: "documents of the earlier system are rewritten flat by the first change",
  },
  "mongodb.earlier-documents-lose-nothing": {
    source: "specification section 5",
    says: "racing first changes of a document of the earlier system lose nothing",
  },
  "mongodb.served-by-an-index": {
    source: "specification section 5",
    says: "every query for a memory is served by an index",
  },
  "mongodb.one-key-examined": {
    source: "specification section 5",
    says: "a command examines one key however many memories there are",
  },
  "mongodb.shard-targeted": {
    source: "specification section 5",
    says: "on a sharded collection every command of a memory names its _id, so that a router asks one shard",
  },
  "mongodb.client-of-another-driver": {
    source: "measured: MongoDBStore 1.4",
    says: "a client of another copy of the driver serves everything",
  },
  "mongodb.stable-api": {
    source: "specification section 5",
    says: "everything works on a client of the strict Stable API, but for the text index, which is off there and says so",
  },
  "mongodb.exact-collation": {
    source: "specification section 5",
    says: "ids, paths and keys are compared byte by byte, whatever the default collation of a collection is",
  },
  "mongodb.other-programs": {
    source: "specification section 5",
    says: "a collection with documents of another program is neither read, indexed nor written",
  },
  "mongodb.indexes-tried-again": {
    source: "specification section 5",
    says: "where making the indexes failed, the next command tries again",
  },
  "mongodb.stopped": {
    source: "specification section 11",
    says: "a store that owns its client refuses every call after stop",
  },
  "mongodb.bad-connection-strings": {
    source: "specification section 3",
    says: "a connection string that fails is never repeated in the error",
  },
  "mongodb.owned-client-is-closed": {
    source: "public names",
    says: "stop closes the client that fromConnString made, and leaves one that was passed in open",
  },
  "mongodb.data-of-version-0-1-0": {
    source: "specification section 5",
    says: "a database that version 0.1.0 has written is read and changed, and gains the index of users",
  },
};
