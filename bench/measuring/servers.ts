import { randomUUID } from "node:crypto";
import { MongoClient, type MongoClientOptions } from "mongodb";
import { PrivateMongod, type ServerKind } from "../../__tests__/helpers/mongo-servers.js";

export const durable = { w: "majority", journal: true } as const;
export const notWaiting = { w: 1, journal: false } as const;

/** On a server of its own. */
export async function onServer<T>(kind: ServerKind, run: (uri: string) => Promise<T>): Promise<T> {
  const server = await PrivateMongod.start(kind);
  try {
    return await run(server.uri);
  } finally {
    await server.stop();
  }
}

/** In a database of its own, dropped afterwards. */
export async function inDatabase<T>(
  uri: string,
  options: MongoClientOptions,
  run: (client: MongoClient, dbName: string) => Promise<T>,
): Promise<T> {
  const client = new MongoClient(uri, options);
  const dbName = `memory_bench_${randomUUID()}`;
  try {
    return await run(client, dbName);
  } finally {
    await client.db(dbName).dropDatabase();
    await client.close();
  }
}
