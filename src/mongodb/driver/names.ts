/** Whether MongoDB allows the name for a database on every system. */
export function isDatabaseName(name: string): boolean {
  return /^[^/\\. "$\0]+$/.test(name) && Buffer.byteLength(name) <= 63;
}

export const databaseNameRule = "must have 1 to 63 bytes, without spaces, dots, slashes, quotes and $";

/** Whether MongoDB allows the name for a collection of a user. The longest name depends on the name of the database. */
export function isCollectionName(name: string): boolean {
  return /^[^$\0]+$/.test(name) && !/^system\.|^\.|\.\.|\.$/.test(name) && Buffer.byteLength(name) <= 255;
}

export const collectionNameRule =
  'must have 1 to 255 bytes, without $ and empty parts between dots, and not begin with "system."';
