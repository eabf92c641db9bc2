import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, it } from "@jest/globals";
import { MongoClient } from "mongodb";
import { defineStoreSuite } from "../helpers/store-suite/suite.js";
import {
  officialStoreFailures,
  officialStoreFailuresIgnoringUndefined,
  officialStoreSkips,
} from "../helpers/official-store-failures.js";
import { officialStoreOver, startedOfficialStore } from "../helpers/official-store.js";
import { testDatabase } from "../helpers/test-database.js";
import { useClient } from "../helpers/use-client.js";

const { uri, name: dbName, client } = testDatabase("standalone");

function defineSuite(clientInUse: MongoClient, knownFailures: Readonly<Record<string, string>>): void {
  const started = startedOfficialStore(clientInUse, { dbName, collectionName: randomUUID() });
  defineStoreSuite({ describe, it }, () => started, {
    openExpiring: async ({ defaultTtlMs, refreshOnRead }) => ({
      store: await startedOfficialStore(clientInUse, {
        dbName,
        collectionName: randomUUID(),
        ttl: { defaultTtl: defaultTtlMs / 1000, refreshOnRead },
      }),
      pass: sleep,
    }),
    openIndexed: ({ dims, embeddings, fields = [] }) =>
      officialStoreOver(clientInUse, {
        dbName,
        collectionName: randomUUID(),
        embeddings,
        indexConfig: { name: "vectors", dims, embeddingKey: fields[0] ?? "" },
      }),
    knownFailures,
    skip: officialStoreSkips,
  });
}

describe("MongoDBStore of @langchain/langgraph-checkpoint-mongodb", () => {
  defineSuite(client, officialStoreFailures);
});

describe("MongoDBStore over a client that ignores undefined", () => {
  defineSuite(useClient(new MongoClient(uri, { ignoreUndefined: true })), officialStoreFailuresIgnoringUndefined);
});
