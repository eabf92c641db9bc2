import os from "node:os";
import type * as driver from "mongodb";
import type { Binary, Db, DbOptions, MongoClient, MongoClientOptions } from "mongodb";
import type { DatabasePlace } from "../../core/values/database-place.js";
import { waitAtMost } from "../../core/runtime/wait-at-most.js";
import { databaseNameRule } from "./names.js";

/*
 * Only this file imports the driver, and only when it is needed. So a program that passes in a client loads no second
 * copy of the driver.
 */

/** @throws TypeError if the string is missing or malformed. The message does not repeat the string */
export async function createClient(uri: string, options: MongoClientOptions = {}): Promise<MongoClient> {
  const given: unknown = uri;
  if (typeof given !== "string" || given.trim() === "") {
    const what = typeof given === "string" ? "an empty text" : given === null ? "null" : typeof given;
    throw new TypeError(
      `the MongoDB connection string is missing (given ${what}); set the environment variable that contains it`,
    );
  }
  const { MongoClient } = await loadDriver();
  try {
    return new MongoClient(uri, { runtimeAdapters: { os }, ...options });
  } catch {
    // Drivers before 7.2 refuse this option. Later ones load `os` by import(), which Jest refuses without a flag.
  }
  try {
    return new MongoClient(uri, options);
  } catch (cause) {
    throw new TypeError("the MongoDB connection string is malformed; expected mongodb://… or mongodb+srv://…", {
      cause,
    });
  }
}

/** Loads the driver. A bundle of ES modules, such as that of esbuild, can have nothing of it but its `default`. */
async function loadDriver(): Promise<Driver> {
  const loaded: Driver & { default?: Driver } = await import("mongodb");
  return loaded.default ?? loaded;
}

type Driver = Omit<typeof driver, "default">;

/**
 * @param dbName default: the name in the connection string
 * @param options settings of its collections, in place of the client's
 * @throws TypeError if MongoDB does not allow the name. The message does not repeat the name
 */
export function openDatabase(client: MongoClient, dbName: string | undefined, options: DbOptions = {}): Db {
  try {
    return client.db(dbName, options);
  } catch (cause) {
    const where = dbName === undefined ? " in the MongoDB connection string" : "";
    throw new TypeError(`the name of the database${where} ${databaseNameRule}; correct it`, { cause });
  }
}

const level = "majority";

/** Changes of memories survive the loss of a server. */
export const acknowledgedByMajority = { w: level, journal: true } as const;

/**
 * Opens the database of memories. Its reads go to the primary, whatever the client prefers. Reason: a change decides by
 * what it has read, and a memory read right after a write must show it. Changes wait for a majority, and reads show what
 * a majority has (architecture invariant 10): otherwise one read could show a change that the next one, of several
 * pages, does not.
 */
export function openMemoriesDatabase(client: MongoClient, dbName: string | undefined): Db {
  return openDatabase(client, dbName, {
    readPreference: "primary",
    readConcern: { level, toJSON: () => ({ level }) },
    writeConcern: acknowledgedByMajority,
  });
}

/** Names the database and the first host of a client, for people. It repeats no login. */
export function getDatabasePlace({ options }: MongoClient, database: string): DatabasePlace {
  const [first, ...others] = options?.hosts ?? [];
  const host = options?.srvHost ?? (first === undefined ? "" : first.toString());
  const more = options?.srvHost === undefined && others.length > 0 ? ` and ${others.length} more` : "";
  return { database, host: host + more };
}

/** Whether the server refuses this client everything outside version 1 of the Stable API, such as text indexes. */
export function isStrict(client: MongoClient): boolean {
  return client.serverApi?.strict === true;
}

/**
 * Creates BSON binary values of a subtype. The driver sends plain bytes as subtype 0, so a subtype needs the class of
 * the driver, and a driver accepts no values of another major version. The id of a session has the class of the
 * client's own copy.
 */
export async function binaryOfSubtype(client: MongoClient, subtype: number): Promise<(bytes: Uint8Array) => Binary> {
  const session = client.startSession();
  const sample = session.id?.id;
  await session.endSession();
  // The types of an id do not include its class.
  const BinaryClass = (sample?.constructor ?? (await loadDriver()).Binary) as typeof Binary;
  return (bytes) => new BinaryClass(bytes, subtype);
}

/**
 * The longest wait while the driver closes. The driver then reports its sessions to the server, and waits for the
 * answer.
 */
const maxClosingMs = 2000;

/** Closes a client. If the server does not answer, the wait ends, and the driver closes the rest when it notices. */
export function closeInTime(client: MongoClient): Promise<void> {
  return waitAtMost(maxClosingMs, client.close());
}
