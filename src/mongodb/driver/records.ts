/**
 * Creates a record with any names, for a command. The driver would take an object with a field `_bsontype` for a value
 * of its own classes, and refuse it or store something else. The driver stores a map as the same record.
 */
export const createRecord = <T>(entries: Iterable<readonly [string, T]>): ReadonlyMap<string, T> => new Map(entries);

/** Returns literal values for an aggregation, in which a text that begins with a dollar would name a field. */
export function literals(fields: object): Record<string, object> {
  return Object.fromEntries(Object.entries<unknown>({ ...fields }).map(([name, $literal]) => [name, { $literal }]));
}
