/**
 * Creates a record with any names, for a command. The driver would take an object with a field `_bsontype` for a value
 * of its own classes, and refuse it or store something else. The driver stores a map as the same record.
 */
export const createRecord = <T>(entries: Iterable<readonly [string, T]>): ReadonlyMap<string, T> => new Map(entries);
