import { MongoMemoryStore } from "../../src/mongodb/store/mongo-memory-store.js";
import { testBackend } from "../helpers/backend-suite.js";
import { testDatabase } from "../helpers/test-database.js";

for (const kind of ["standalone", "replicaSet"] as const) {
  const { client, name } = testDatabase(kind);
  const store = new MongoMemoryStore({ client, dbName: name });
  testBackend(`MongoDB, ${kind}`, (address, options) => store.memory(address, options), kind === "standalone" ? 150 : 20);
}
