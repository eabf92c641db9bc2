import { describe, it } from "@jest/globals";
import { randomUUID } from "node:crypto";
import { layoutNames } from "../../src/mongodb/memories/layouts.js";
import { MongoMemoryStore } from "../../src/mongodb/store/mongo-memory-store.js";
import { defineStoreSuite } from "../../src/testing/store-suite.js";
import { testDatabase } from "../helpers/test-database.js";

const servers = ["standalone", "replicaSet"] as const;

describe.each(layoutNames.flatMap((layout) => servers.map((kind) => [layout, kind] as const)))("MongoMemoryStore, layout %s, %s", (layout, kind) => {
  const { client, name: dbName } = testDatabase(kind);
  const plain = new MongoMemoryStore({ client, dbName, layout });
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
