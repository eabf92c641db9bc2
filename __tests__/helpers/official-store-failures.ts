/** Measured with @langchain/langgraph-checkpoint-mongodb 1.4.1. The keys are ids of cases of `defineStoreSuite`. */
const slash =
  'the unique index holds the labels joined with "/": E11000 for ["x/y"] beside ["x","y"], and later puts of the batch are lost';
const unknownDropped = "a condition that is not known is dropped, and every item answers";
const typeBracketed = "compared as MongoDB does, by type";
const operatorInKey = "keys are not checked, so an operator object reaches the query";
const arrays = "MongoDB matches a field that holds an array by its elements";
const silent = "changed or dropped without a word";
const unsorted = "search has no sort: answers come in natural order";
const depth = "maxDepth drops deeper namespaces instead of cutting them";
const duplicateKey =
  "E11000: the filter of its upsert is not the key of its unique index, so the server does not retry";
const order = "operations run one after the other, so a get after a put of its batch sees it";
const checksPutsOnly = "only namespaces of puts are checked in a batch, and only once those before them are written";

const alsoThroughWrapper: Record<string, string> = {
  "namespaces-apart": slash,
  "delete-in-langgraph": "delete is checked as a put",
  "value-field-constructor":
    "the driver takes a field called constructor or toString for an option, and objects in arrays come back as raw bytes",
  "value-like-a-reference": "comes back as a DBRef",
  "value-bytes": "come back as BSON Binary",
  "value-bigints": "come back as number, or as BSON Long",
  "value-undefined": "becomes null",
  "value-map": silent,
  "value-set": "becomes {}",
  "value-instance": silent,
  "value-function": silent,
  "value-large-bigint": "becomes 0",
  "value-lone-surrogate": "becomes U+FFFD",
  "value-regexp": "loses its flags",
  "value-to-bson": "the method is run",
  "value-no-object": "undefined is stored as null",
  "value-key-surrogates": "both become U+FFFD, one key",
  "search-limit-zero": "a limit of 0 answers everything",
  "search-order": unsorted,
  "search-order-of-depths": unsorted,
  "search-query-without-index": "a query without an index throws",
  "filter-not-equal-missing": "{ $ne: null } does not find a missing field",
  "filter-range": "of several operators on one field only the last one counts",
  "filter-contradiction": "of several operators on one field only the last one counts",
  "filter-in": unknownDropped,
  "filter-not-in": unknownDropped,
  "filter-null": "null finds missing fields too",
  "filter-undefined": "undefined finds null too",
  "filter-array-fields": arrays,
  "filter-objects": unknownDropped,
  "filter-coercion": typeBracketed,
  "filter-coercion-of-arrays": arrays,
  "filter-dates": typeBracketed,
  "filter-date-equality": "a date without an operator is no condition",
  "filter-literal-names": "a dot makes a path, so a field with one in its name cannot be found",
  "hostile-key-get": operatorInKey,
  "hostile-key-delete": operatorInKey,
  "hostile-unknown-operators": unknownDropped,
  "hostile-nested-operators": "operands are not checked, so an operator object reaches the query",
  "hostile-operators-beside-fields": unknownDropped,
  "hostile-in": unknownDropped,
  "hostile-empty-conditions": unknownDropped,
  "hostile-regexp": unknownDropped,
  "hostile-regexp-operand": "a RegExp under $eq is run",
  "hostile-limits": "a negative limit is taken as a positive one",
  "hostile-limits-no-number": "a limit that is no number is no limit",
};

const directOnly: Record<string, string> = {
  "invalid-namespaces-in-batch": checksPutsOnly,
  "langgraph-in-batch": "refused in batch too",
  "search-limit-in-batch": "a batch answers 100 where no limit is given",
  "list-depth": depth,
  "list-depth-pages": depth,
  "list-limit-zero": "throws an error of the server",
  "list-limit-in-batch": "a batch lists 100 where no limit is given",
  "list-expressions": "labels are evaluated as expressions of the aggregation",
  "list-order": "a label that is cut short sorts by MongoDB's bytes, not by code units",
  "batch-reads-first": order,
  "batch-all-or-nothing": checksPutsOnly,
  "batch-all-or-nothing-of-reads": checksPutsOnly,
  "batch-places-apart": slash,
  "hostile-labels": "labels of gets and searches are not checked in a batch, so an operator object reaches the query",
  "hostile-labels-of-listing": "labels are evaluated as expressions of the aggregation",
  "hostile-match-type": "an unknown kind of condition is dropped",
  "race-first-puts": duplicateKey,
  "race-put-and-delete": duplicateKey,
};

const expiry: Record<string, string> = {
  "expiry-get": "expired items answer until the sweeper of the server comes, once a minute",
  "expiry-put-again": "an expired item that is still there keeps its createdAt",
  "expiry-refresh": "refreshing moves updatedAt",
  "expiry-refresh-revives-nothing": "a get revives an expired item",
};

const ranking: Record<string, string> = {
  "rank-fields": "embedded is the JSON of the fields",
  "rank-dimensions": "vectors are not measured",
};

const throughWrapper = Object.fromEntries(
  Object.entries(alsoThroughWrapper).map(([id, reason]) => [`wrapped:${id}`, reason]),
);

export const officialStoreFailures: Readonly<Record<string, string>> = {
  ...alsoThroughWrapper,
  ...throughWrapper,
  ...directOnly,
  ...expiry,
  ...ranking,
};

/** Failures with a client that has `ignoreUndefined: true`. Undefined fields vanish, in filters and in values. */
const { "value-undefined": _, "wrapped:value-undefined": __, ...others } = officialStoreFailures;
const missingKey = "a missing key vanishes from the query, which then matches any item of the namespace";
export const officialStoreFailuresIgnoringUndefined: Readonly<Record<string, string>> = {
  ...others,
  "hostile-key-missing": missingKey,
  "wrapped:hostile-key-missing": missingKey,
};

const needsAtlas = "needs $vectorSearch, which a mongod by itself does not have";
export const officialStoreSkips: Readonly<Record<string, string>> = {
  "rank-nearest": needsAtlas,
  "rank-filter": needsAtlas,
  "rank-prefix": needsAtlas,
  "rank-limit": needsAtlas,
  "value-copied-at-once": "fails or not by when the driver serialises the put",
};
