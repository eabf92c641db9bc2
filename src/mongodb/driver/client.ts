import type { Binary, MongoClient, MongoClientOptions } from "mongodb";

/*
 * The driver is imported in this file only, and only when needed, so that passing in a client loads no second copy of it.
 */

/** @throws TypeError for a malformed string, which it does not repeat */
export async function createClient(uri: string, options: MongoClientOptions = {}): Promise<MongoClient> {
  const { MongoClient } = await import("mongodb");
  try {
    return new MongoClient(uri, options);
  } catch (cause) {
    throw new TypeError("the MongoDB connection string is malformed; expected mongodb://… or mongodb+srv://…", { cause });
  }
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
