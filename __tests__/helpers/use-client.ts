import { afterAll } from "@jest/globals";
import type { MongoClient } from "mongodb";

const clients: MongoClient[] = [];

/** Closes the client after the tests of the file. */
export function useClient(client: MongoClient): MongoClient {
  clients.push(client);
  return client;
}

afterAll(() => Promise.all(clients.map((client) => client.close())));
