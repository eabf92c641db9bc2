import { isDatabaseName } from "../../mongodb/admin/checks.js";

/**
 * The database that a connection string names. What is no name is left to the driver, which refuses it with the string.
 */
export function databaseIn(uri: string | undefined): string | undefined {
  const given = /^mongodb(?:\+srv)?:\/\/[^/?]+\/([^?]+)/.exec(uri ?? "")?.[1];
  if (given === undefined) return undefined;
  try {
    const name = decodeURIComponent(given);
    return isDatabaseName(name) ? name : undefined;
  } catch {
    return undefined;
  }
}
