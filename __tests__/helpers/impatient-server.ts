import { MongoClient } from "mongodb";
import type { PrivateMongod } from "./mongo-servers.js";
import { privateMongod } from "./test-database.js";
import { useClient } from "./use-client.js";

let started: Promise<{ mongod: PrivateMongod; client: MongoClient }> | undefined;

/**
 * Starts a server that ends the transaction of a dead process after a second instead of a minute. The tests of a file
 * share it.
 */
export function startImpatientServer(): Promise<{ mongod: PrivateMongod; client: MongoClient }> {
  started ??= privateMongod("replicaSet", { args: ["--setParameter", "transactionLifetimeLimitSeconds=1"] }).then(
    (mongod) => ({ mongod, client: useClient(new MongoClient(mongod.uri)) }),
  );
  return started;
}
