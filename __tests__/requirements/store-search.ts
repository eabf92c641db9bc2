import type { Requirements } from "./requirement.js";

export const storeSearch: Requirements = {
  "store-search.prefix-of-whole-labels": {
    source: "measured: MongoDBStore 1.4",
    says: "a prefix matches whole labels only",
  },
  "store-search.prefix-and-below": {
    source: "InMemoryStore 1.2",
    says: "search finds what lies at the prefix and below it; the empty prefix is everything",
  },
  "store-search.whole-items": {
    source: "InMemoryStore 1.2",
    says: "search answers whole items",
  },
  "store-search.ten-by-default": {
    source: "measured: MongoDBStore 1.4",
    says: "search answers ten where no limit is given, in a batch too",
  },
  "store-search.limit-zero": {
    source: "measured: MongoDBStore 1.4",
    says: "a limit of 0 answers nothing",
  },
  "store-search.one-order": {
    source: "specification section 11",
    says: "search sorts by namespace, then key, by code units",
  },
  "store-search.pages-are-slices": {
    source: "specification section 11",
    says: "a page is a slice of the whole, also while items are written",
  },
  "store-search.bad-pages-refused": {
    source: "measured: MongoDBStore 1.4",
    says: "a negative limit or offset, or one that is no number, finds nothing",
  },
  "store-search.filter-equality": {
    source: "InMemoryStore 1.2",
    says: "a value and $eq find equal values of the same type",
  },
  "store-search.filter-not-equal": {
    source: "measured: MongoDBStore 1.4",
    says: "$ne finds every other value, and items without the field",
  },
  "store-search.filter-comparisons": {
    source: "specification section 11",
    says: "$gt, $gte, $lt and $lte compare as InMemoryStore does",
  },
  "store-search.filter-all-operators": {
    source: "measured: MongoDBStore 1.4",
    says: "all operators of one field count",
  },
  "store-search.filter-in": {
    source: "measured: MongoDBStore 1.4",
    says: "$in and $nin go by what the array holds",
  },
  "store-search.filter-null": {
    source: "specification section 11",
    says: "null finds null, not a missing field",
  },
  "store-search.filter-dates": {
    source: "specification section 11",
    says: "a date is an instant, for order, also against numbers, and for equality",
  },
  "store-search.filter-arrays": {
    source: "specification section 11",
    says: "a field that holds an array is not its elements",
  },
  "store-search.filter-objects": {
    source: "measured: MongoDBStore 1.4",
    says: "no object equals another",
  },
  "store-search.filter-literal-names": {
    source: "measured: MongoDBStore 1.4",
    says: "a field name with a dot or a dollar is that name",
  },
  "store-search.filter-every-field": {
    source: "InMemoryStore 1.2",
    says: "every field of a filter counts",
  },
  "store-search.filter-within-prefix": {
    source: "measured: MongoDBStore 1.4",
    says: "a filter reaches nothing outside the prefix",
  },
  "store-search.filter-unknown-operators": {
    source: "specification section 11",
    says: "an unknown operator is refused, never ignored",
  },
  "store-search.filter-regexp": {
    source: "specification section 11",
    says: "a RegExp is refused, as a value and as an operand",
  },
  "store-search.filter-empty-conditions": {
    source: "specification section 11",
    says: "an empty array or object is refused as a condition, and an invalid date",
  },
  "store-search.filter-no-array": {
    source: "specification section 11",
    says: "$in and $nin without an array are refused",
  },
  "store-search.filter-no-injection": {
    source: "measured: MongoDBStore 1.4",
    says: "an operator inside an operand, or for a field's name, finds nothing",
  },
  "store-search.filter-as-in-memory-store": {
    source: "specification section 11",
    says: "every filter finds what InMemoryStore finds",
  },
  "store-search.list-each-once": {
    source: "InMemoryStore 1.2",
    says: "listNamespaces gives each namespace once, by prefix, suffix and wildcard",
  },
  "store-search.list-depth": {
    source: "measured: MongoDBStore 1.4",
    says: "maxDepth cuts namespaces and gives each cut once, over pages too",
  },
  "store-search.list-order": {
    source: "specification section 11",
    says: "listNamespaces sorts by code units",
  },
  "store-search.list-expressions": {
    source: "measured: MongoDBStore 1.4",
    says: "labels that look like expressions are labels",
  },
  "store-search.list-no-emptied": {
    source: "measured: MongoDBStore 1.4",
    says: "a namespace that lost its items is not listed",
  },
  "store-search.first-page-from-an-index": {
    source: "specification section 11",
    says: "a first page of everything, or of a broad prefix, comes from an index without a sort",
  },
  "store-search.expired-is-gone": {
    source: "measured: MongoDBStore 1.4",
    says: "an expired item is gone at once from get, search, listNamespaces and batch",
  },
  "store-search.expired-is-new": {
    source: "specification section 11",
    says: "an item put after its expiry has a new createdAt",
  },
  "store-search.refresh-revives-nothing": {
    source: "measured: MongoDBStore 1.4",
    says: "a refresh on read revives no expired item and moves no updatedAt",
  },
  "store-search.ttl-off": {
    source: "measured: MongoDBStore 1.4",
    says: "what is put after TTL was switched off stays",
  },
  "store-search.ttl-by-prefix": {
    source: "public names",
    says: "the time of an item is that of the longest prefix of whole labels",
  },
  "store-search.memories-never-expire": {
    source: "specification section 11",
    says: "memories do not expire by the time of items",
  },
  "store-search.ranked-by-meaning": {
    source: "InMemoryStore 1.2",
    says: "a query ranks the nearest first, within prefix, filter and limit",
  },
  "store-search.index-of-a-put": {
    source: "InMemoryStore 1.2",
    says: "index: false embeds nothing, and a list of paths embeds those",
  },
  "store-search.dimensions-checked": {
    source: "reported: other memories",
    says: "vectors of other dimensions are refused before anything is written",
  },
  "store-search.ranked-by-words": {
    source: "reported: other memories",
    says: "without embeddings a query ranks by words",
  },
  "store-search.query-holds-no-operators": {
    source: "reported: other memories",
    says: "a query is words, never operators",
  },
  "store-search.query-words-are-bounded": {
    source: "measured: MongoDB",
    says: "a query for words is its first 1,000 different words, within its first 65,536 characters",
  },
  "store-search.migration-copies": {
    source: "measured: MongoDBStore 1.4",
    says: "items of the official store are copied with namespaces, keys, values and times",
  },
  "store-search.migration-repeats": {
    source: "measured: MongoDBStore 1.4",
    says: "a migration that runs again changes nothing, and never overwrites what is newer",
  },
};
