export { collectionNameRule, databaseNameRule, isCollectionName, isDatabaseName } from "../driver/names.js";
export { checkForgotten, checkMemoryFilter, checkProposalFilter } from "../memories/addresses/memory-filter.js";
