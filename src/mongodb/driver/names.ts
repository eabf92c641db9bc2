/** What MongoDB allows as the name of a database, whatever it runs on. */
export function isDatabaseName(name: string): boolean {
  return /^[^/\\. "$\0]+$/.test(name) && Buffer.byteLength(name) <= 63;
}

export const databaseNameRule = "must have 1 to 63 bytes, without spaces, dots, slashes, quotes and $";

/** What MongoDB allows as the name of a collection that is not its own; the longest depends on that of the database. */
export function isCollectionName(name: string): boolean {
  return /^[^$\0]+$/.test(name) && !/^system\.|^\.|\.\.|\.$/.test(name) && Buffer.byteLength(name) <= 255;
}

export const collectionNameRule = 'must have 1 to 255 bytes, without $ and empty parts between dots, and not begin with "system."';
