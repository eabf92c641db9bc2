import { MongoClient } from "mongodb";
import { layoutNames } from "../../src/mongodb/memories/layouts.js";
import { MongoMemoryStore } from "../../src/mongodb/store/mongo-memory-store.js";
import { testBackend } from "../helpers/backend-suite.js";
import { isLong, repetitions } from "../helpers/repetitions.js";
import { serverApi } from "../helpers/server-api.js";
import { testDatabase } from "../helpers/test-database.js";
import { useClient } from "../helpers/use-client.js";

// A standalone server has no transactions, which the layout `files` needs.
for (const layout of layoutNames.filter((each) => each !== "files")) {
  const { client, name } = testDatabase("standalone");
  const store = new MongoMemoryStore({ client, dbName: name, layout });
  testBackend(
    `MongoDB, layout ${layout}, standalone`,
    (address, options) => store.memory(address, options),
    repetitions({ usual: 20, long: 150 }),
  );
}

for (const layout of layoutNames) {
  const { uri, name } = testDatabase("replicaSet");
  const store = new MongoMemoryStore({ client: useClient(new MongoClient(uri, { serverApi })), dbName: name, layout });
  const title = `MongoDB, layout ${layout}, replica set, strict Stable API`;
  testBackend(title, (address, options) => store.memory(address, options), repetitions({ usual: 5, long: 20 }));
}

// There the layout `files` makes its changes in another way.
const { uri: recordedUri, name: recordedName } = testDatabase("replicaSet");
const recorded = new MongoMemoryStore({
  client: useClient(new MongoClient(recordedUri, { serverApi })),
  dbName: recordedName,
  layout: "files",
  history: true,
});
testBackend(
  "MongoDB, layout files, with history",
  (address, options) => recorded.memory(address, options),
  repetitions({ usual: 3, long: 20 }),
);

// So it does with a limit, by the same code but for what deletes and moves.
if (isLong) {
  const { uri, name } = testDatabase("replicaSet");
  const store = new MongoMemoryStore({
    client: useClient(new MongoClient(uri, { serverApi })),
    dbName: name,
    layout: "files",
  });
  testBackend(
    "MongoDB, layout files, with a limit",
    (address, options) => store.memory(address, { maxMemoryBytes: 100_000_000, ...options }),
    20,
  );
}
