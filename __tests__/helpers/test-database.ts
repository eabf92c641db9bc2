import { randomUUID } from "node:crypto";
import { afterAll } from "@jest/globals";
import { MongoClient, type Db } from "mongodb";
import { PrivateMongod, serverUri, type ServerKind } from "./mongo-servers.js";

export interface TestDatabase {
  uri: string;
  /** Name of this database, which is dropped after the test file. */
  name: string;
  /** Shared by the tests of one file, and closed after it. */
  client: MongoClient;
  db: Db;
}

const clients = new Map<ServerKind, MongoClient>();
const databases: Db[] = [];
const privateServers: PrivateMongod[] = [];

/** Returns a database that no other test uses, on the shared server of this kind. */
export function testDatabase(kind: ServerKind = "replicaSet"): TestDatabase {
  const uri = serverUri(kind);
  const client = clients.get(kind) ?? new MongoClient(uri);
  clients.set(kind, client);
  const name = `test_${randomUUID()}`;
  const db = client.db(name);
  databases.push(db);
  return { uri, name, client, db };
}

/** Starts a mongod for this test file only. It is ended and removed after the file. */
export async function privateMongod(
  kind: ServerKind,
  options?: { args?: string[]; auth?: boolean },
): Promise<PrivateMongod> {
  const server = await PrivateMongod.start(kind, options);
  privateServers.push(server);
  return server;
}

afterAll(async () => {
  await Promise.all(databases.map((db) => db.dropDatabase()));
  await Promise.all(Array.from(clients.values(), (client) => client.close()));
});

afterAll(async () => {
  await Promise.all(privateServers.map((server) => server.stop()));
});
