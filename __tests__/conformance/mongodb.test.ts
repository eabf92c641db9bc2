import { layoutNames } from "../../src/mongodb/memories/layouts.js";
import { MongoMemoryStore } from "../../src/mongodb/store/mongo-memory-store.js";
import { testBackend } from "../helpers/backend-suite.js";
import { repetitions } from "../helpers/repetitions.js";
import { testDatabase } from "../helpers/test-database.js";

for (const layout of layoutNames) {
  for (const kind of ["standalone", "replicaSet"] as const) {
    const { client, name } = testDatabase(kind);
    const store = new MongoMemoryStore({ client, dbName: name, layout });
    const modelRuns = repetitions(kind === "standalone" ? { usual: 20, long: 150 } : { usual: 5, long: 20 });
    testBackend(`MongoDB, layout ${layout}, ${kind}`, (address, options) => store.memory(address, options), modelRuns);
  }
}
