import { isDatabaseName } from "../../mongodb/admin/checks.js";

/** The database that a connection string names. An illegal name is left to the driver, which refuses the string. */
export function getDatabaseName(uri: string | undefined): string | undefined {
  const encoded = /^mongodb(?:\+srv)?:\/\/[^/?]+\/([^?]+)/.exec(uri ?? "")?.[1];
  if (encoded === undefined) return undefined;
  try {
    const name = decodeURIComponent(encoded);
    return isDatabaseName(name) ? name : undefined;
  } catch {
    return undefined;
  }
}
