import { describe, it } from "@jest/globals";
import { randomUUID } from "node:crypto";
import { MongoMemoryStore } from "../../src/mongodb/store/mongo-memory-store.js";
import { defineStoreSuite } from "../../src/testing/store-suite.js";
import { testDatabase } from "../helpers/test-database.js";

describe.each(["standalone", "replicaSet"] as const)("MongoMemoryStore, %s", (kind) => {
  const { client, name: dbName } = testDatabase(kind);
  const plain = new MongoMemoryStore({ client, dbName });
  defineStoreSuite({ describe, it }, () => plain, {
    openExpiring: (ttl) => new MongoMemoryStore({ client, dbName, itemsCollection: "expiring", ttl }),
    openIndexed: (index) => new MongoMemoryStore({ client, dbName, itemsCollection: randomUUID(), index }),
  });
});

describe.each([true, false])("MongoMemoryStore with textSearch: %s", (textSearch) => {
  const { client, name: dbName } = testDatabase("standalone");
  const store = new MongoMemoryStore({ client, dbName, textSearch });
  defineStoreSuite({ describe, it }, () => store);
});
