import { MongoClient } from "mongodb";
import { MongoMemoryStore } from "../../src/mongodb/store/mongo-memory-store.js";
import { testBackend } from "../helpers/backend-suite.js";
import { repetitions } from "../helpers/repetitions.js";
import { serverApi } from "../helpers/server-api.js";
import { testDatabase } from "../helpers/test-database.js";
import { useClient } from "../helpers/use-client.js";

const standalone = testDatabase("standalone");
const onStandalone = new MongoMemoryStore({ client: standalone.client, dbName: standalone.name });
testBackend(
  "MongoDB, standalone",
  (address, options) => onStandalone.memory(address, options),
  repetitions({ usual: 20, long: 150 }),
);

const replicaSet = testDatabase("replicaSet");
const onReplicaSet = new MongoMemoryStore({
  client: useClient(new MongoClient(replicaSet.uri, { serverApi })),
  dbName: replicaSet.name,
});
testBackend(
  "MongoDB, replica set, strict Stable API",
  (address, options) => onReplicaSet.memory(address, options),
  repetitions({ usual: 5, long: 20 }),
);

const recorded = testDatabase("replicaSet");
const recording = new MongoMemoryStore({ client: recorded.client, dbName: recorded.name, history: true });
testBackend(
  "MongoDB, with history",
  (address, options) => recording.memory(address, options),
  repetitions({ usual: 3, long: 20 }),
);
