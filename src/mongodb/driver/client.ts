import type { Binary, Db, MongoClient, MongoClientOptions } from "mongodb";
import { waitAtMost } from "../../core/wait-at-most.js";
import { databaseNameRule } from "./names.js";

/*
 * The driver is imported in this file only, and only when needed, so that passing in a client loads no second copy of it.
 */

/** @throws TypeError for a string that is missing or malformed, which it does not repeat */
export async function createClient(uri: string, options: MongoClientOptions = {}): Promise<MongoClient> {
  const given: unknown = uri;
  if (typeof given !== "string" || given.trim() === "") {
    const what = typeof given === "string" ? "an empty text" : given === null ? "null" : typeof given;
    throw new TypeError(`the MongoDB connection string is missing (given ${what}); is the environment variable set that should hold it?`);
  }
  const { MongoClient } = await import("mongodb");
  try {
    return new MongoClient(uri, options);
  } catch (cause) {
    throw new TypeError("the MongoDB connection string is malformed; expected mongodb://… or mongodb+srv://…", { cause });
  }
}

/** @param dbName by default that of the connection string. @throws TypeError for a name that MongoDB does not allow, which it does not repeat */
export function openDatabase(client: MongoClient, dbName: string | undefined): Db {
  try {
    return client.db(dbName);
  } catch (cause) {
    const where = dbName === undefined ? " in the MongoDB connection string" : "";
    throw new TypeError(`the name of the database${where} ${databaseNameRule}; correct it`, { cause });
  }
}

/** Whether the server refuses this client whatever is not in version 1 of the Stable API, such as text indexes. */
export function isStrict(client: MongoClient): boolean {
  return client.serverApi?.strict === true;
}

/**
 * Makes BSON binary values of a subtype; without the driver's class bytes are of subtype 0. A session's id has one: that
 * class is of the client's own copy of the driver, and a driver takes no values of another major version.
 */
export async function binaryOfSubtype(client: MongoClient, subtype: number): Promise<(bytes: Uint8Array) => Binary> {
  const session = client.startSession();
  const sample = session.id?.id;
  await session.endSession();
  const BinaryClass = (sample?.constructor ?? (await import("mongodb")).Binary) as typeof Binary;
  return (bytes) => new BinaryClass(bytes, subtype);
}

/** Of its sessions the driver tells the server when it closes, and waits for the answer. */
const maxClosingMs = 2000;

/** Closes a client, and ends the wait for a server that does not answer. The driver then closes the rest when it notices. */
export function closeInTime(client: MongoClient): Promise<void> {
  return waitAtMost(maxClosingMs, client.close());
}
