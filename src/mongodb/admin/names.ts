export { collectionNameRule, databaseNameRule, isCollectionName, isDatabaseName } from "../driver/names.js";
