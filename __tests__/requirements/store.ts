import type { Requirements } from "./requirement.js";

export const store: Requirements = {
  "store.put-get": {
    source: "InMemoryStore 1.2",
    says: "an item comes back with its value, key, namespace and times",
  },
  "store.put-replaces": {
    source: "InMemoryStore 1.2",
    says: "put replaces the whole value, keeps createdAt and moves updatedAt",
  },
  "store.reads-move-no-time": {
    source: "measured: MongoDBStore 1.4",
    says: "get and search leave the times alone",
  },
  "store.missing-is-null": {
    source: "InMemoryStore 1.2",
    says: "get answers null where nothing is",
  },
  "store.delete-of-one": {
    source: "InMemoryStore 1.2",
    says: "delete removes one item, and nothing where nothing is",
  },
  "store.new-after-delete": {
    source: "specification section 11",
    says: "an item put after its deletion is new",
  },
  "store.places-apart": {
    source: "measured: MongoDBStore 1.4",
    says: "no two places share an item, however labels and keys are cut and joined",
  },
  "store.places-are-changed-alone": {
    source: "reported: other memories",
    says: "of more than 100,000 pairs of hostile places none is changed or deleted with another",
  },
  "store.odd-keys-and-labels": {
    source: "measured: LangGraph 1.7",
    says: "every string is a key, and every label that LangGraph allows is one, of its own",
  },
  "store.namespace-rules": {
    source: "measured: LangGraph 1.7",
    says: "empty namespaces and labels, ., :, NUL and the root langgraph are an InvalidNamespaceError",
  },
  "store.namespace-rules-in-batch": {
    source: "measured: LangGraph 1.7",
    says: "batch, which alone is called inside a graph, refuses what put refuses",
  },
  "store.langgraph-root-in-batch": {
    source: "specification section 11",
    says: "the root label langgraph is refused by put and allowed in batch",
  },
  "store.no-operators-for-keys": {
    source: "measured: MongoDBStore 1.4",
    says: "an operator object or nothing for a key reads and deletes nothing",
  },
  "store.no-operators-for-labels": {
    source: "measured: MongoDBStore 1.4",
    says: "an operator object for a label is refused",
  },
  "store.client-that-ignores-undefined": {
    source: "measured: MongoDBStore 1.4",
    says: "a missing key reads and deletes nothing through a client that ignores undefined",
  },
  "store.client-with-other-defaults": {
    source: "measured: MongoDBStore 1.4",
    says: "values come back equal through a client with other defaults",
  },
  "store.errors-of-ours": {
    source: "specification section 11",
    says: "a refusal is an error of ours with a message of ours, never the driver's",
  },
  "store.driver-error-as-cause": {
    source: "specification section 11",
    says: "the driver's error is there only as the cause of an EIO",
  },
  "store.json-comes-back": {
    source: "specification section 11",
    says: "JSON comes back equal, whatever its fields are called",
  },
  "store.constructor-fields": {
    source: "measured: MongoDB",
    says: "fields called constructor or valueOf come back, which the driver's defaults would garble",
  },
  "store.references-come-back": {
    source: "specification section 11",
    says: "an object that looks like a database reference is an object",
  },
  "store.no-prototype-reached": {
    source: "specification section 2",
    says: "a field __proto__ is a field and reaches no prototype",
  },
  "store.dates-come-back": {
    source: "specification section 11",
    says: "dates come back as dates",
  },
  "store.bytes-come-back": {
    source: "specification section 11",
    says: "Uint8Array comes back as Uint8Array",
  },
  "store.bigints-come-back": {
    source: "specification section 11",
    says: "bigints of 64 bits come back as bigints",
  },
  "store.numbers-come-back": {
    source: "measured: MongoDBStore 1.4",
    says: "numbers come back as they were, -0, NaN and the infinities too",
  },
  "store.undefined-vanishes": {
    source: "specification section 11",
    says: "an undefined field vanishes, and is null inside an array",
  },
  "store.unequal-is-refused": {
    source: "specification section 11",
    says: "what cannot come back equal is refused, and nothing of its batch is stored",
  },
  "store.size-limit": {
    source: "specification section 11",
    says: "a value of more than 16 MB is refused, and one below it is stored",
  },
  "store.surrogates-refused": {
    source: "measured: MongoDBStore 1.4",
    says: "keys and texts with lone surrogates, which would collide, are refused",
  },
  "store.copies": {
    source: "measured: MongoDBStore 1.4",
    says: "a change of what was put, or of an answer, changes nothing in the store",
  },
  "store.batch-in-order": {
    source: "specification section 11",
    says: "a batch answers every operation, in order",
  },
  "store.batch-reads-first": {
    source: "specification section 11",
    says: "a batch reads before it writes",
  },
  "store.batch-last-write": {
    source: "specification section 11",
    says: "of several writes of a batch to one place the last one counts",
  },
  "store.batch-all-or-nothing": {
    source: "specification section 11",
    says: "a refused operation of a batch means that none of it was written",
  },
  "store.batch-of-hundreds": {
    source: "measured: MongoDBStore 1.4",
    says: "hundreds of operations fit into a batch",
  },
  "store.batch-no-operation": {
    source: "specification section 11",
    says: "what is no operation is refused",
  },
  "store.first-puts-never-refused": {
    source: "measured: MongoDBStore 1.4",
    says: "concurrent first puts of one key are all taken and make one item",
  },
  "store.whole-values": {
    source: "specification section 11",
    says: "a reader sees one put or another, never parts of both",
  },
  "store.racing-deletes": {
    source: "specification section 11",
    says: "puts racing deletes end in one of the two orders",
  },
  "store.get-by-id": {
    source: "measured: MongoDBStore 1.4",
    says: "an item is found by its id",
  },
  "store.hundred-gets-one-find": {
    source: "measured: MongoDB",
    says: "a hundred gets of a batch are one find",
  },
  "store.hundred-puts-one-update": {
    source: "measured: MongoDB",
    says: "a hundred puts of a batch are one update",
  },
  "store.no-collection-scan": {
    source: "measured: MongoDBStore 1.4",
    says: "every search and listing is served by an index",
  },
  "store.indexes-once": {
    source: "specification section 5",
    says: "the index is made once, at the first write or by start",
  },
  "store.indexes-in-the-way": {
    source: "specification section 5",
    says: "an index of the same name that is in the way is named, and the next write tries again",
  },
  "store.shard-targeted": {
    source: "measured: MongoDB",
    says: "every command of an item names its shard",
  },
  "store.bounded-memory": {
    source: "reported: other memories",
    says: "reads of any number of items hold no more than a batch of them",
  },
  "store.as-in-memory-store": {
    source: "specification section 11",
    says: "any batch is answered as InMemoryStore answers it, but for the differences documented",
  },
  "store.in-a-graph": {
    source: "measured: LangGraph 1.7",
    says: "wrapped by LangGraph, and in a compiled graph, the answers are the same",
  },
};
