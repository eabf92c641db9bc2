import { MongoClient } from "mongodb";
import { MongoMemoryStore } from "../../src/index.js";
import { testBackend } from "../helpers/backend-suite.js";
import { describePlace, places, withPageBytes } from "../helpers/page-sizes.js";
import { repetitions } from "../helpers/repetitions.js";
import { serverApi } from "../helpers/server-api.js";
import { testDatabase } from "../helpers/test-database.js";
import { useClient } from "../helpers/use-client.js";

for (const place of places) {
  const [kind, pageBytes] = place;
  const { client, uri, name: dbName } = testDatabase(kind);
  const isStrict = kind === "replicaSet";
  const store = new MongoMemoryStore({
    client: isStrict ? useClient(new MongoClient(uri, { serverApi })) : client,
    dbName,
    ...withPageBytes(pageBytes),
  });
  testBackend(
    `MongoDB, ${describePlace(place)}${isStrict ? ", strict Stable API" : ""}`,
    (address, options) => store.memory(address, options),
    kind === "standalone" ? repetitions({ usual: 4, long: 150 }) : repetitions({ usual: 2, long: 20 }),
  );
}

const recorded = testDatabase("replicaSet");
const recording = new MongoMemoryStore({ client: recorded.client, dbName: recorded.name, history: true });
testBackend(
  "MongoDB, with history",
  (address, options) => recording.memory(address, options),
  repetitions({ usual: 3, long: 20 }),
);
