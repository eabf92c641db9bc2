/**
 * A record of any names, for a command. As an object the driver would take one with a field `_bsontype` for a value of
 * its own classes, and refuse it or store something else. A map it stores as the same record.
 */
export const createRecord = <T>(entries: Iterable<readonly [string, T]>): ReadonlyMap<string, T> => new Map(entries);
