import { isDatabaseName } from "../../mongodb/admin/checks.js";

/** Returns the database that a connection string names. Ignores an illegal name: the driver refuses the string. */
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
