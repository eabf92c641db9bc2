import { describe, it } from "@jest/globals";
import { randomUUID } from "node:crypto";
import { layoutNames } from "../../src/mongodb/memories/layouts.js";
import { MongoMemoryStore } from "../../src/mongodb/store/mongo-memory-store.js";
import { defineStoreSuite } from "../../src/testing/store-suite.js";
import { isLong } from "../helpers/repetitions.js";
import { testDatabase } from "../helpers/test-database.js";

/** The usual run has each kind of server and each way to search once; the long one has them all together. */
const usual = [["replicaSet", true], ["standalone", false]] as const;
const others = [["standalone", true], ["replicaSet", false]] as const;
const kinds = isLong ? [...usual, ...others] : usual;
const variants = layoutNames.flatMap((layout) => kinds.map(([kind, textSearch]) => ({ layout, kind, textSearch })));

describe.each(variants)("MongoMemoryStore, layout $layout, $kind, textSearch: $textSearch", ({ layout, kind, textSearch }) => {
  const { client, name: dbName } = testDatabase(kind);
  const plain = new MongoMemoryStore({ client, dbName, layout, textSearch });
  defineStoreSuite({ describe, it }, () => plain, {
    openExpiring: (ttl) => new MongoMemoryStore({ client, dbName, itemsCollection: "expiring", ttl }),
    openIndexed: (index) => new MongoMemoryStore({ client, dbName, itemsCollection: randomUUID(), index }),
  });
});
