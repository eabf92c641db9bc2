import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { AsyncBatchedStore, InMemoryStore } from "@langchain/langgraph-checkpoint";
import { MongoClient } from "mongodb";
import { MongoMemoryStore, openMemory } from "../../src/index.js";
import type { OpenMemory } from "../../src/testing/memory-case.js";
import { testBackend } from "../helpers/backend-suite.js";
import { pageAt, programsOf } from "../helpers/documentation.js";
import { describeVariant, variants, withPageBytes } from "../helpers/page-sizes.js";
import { repetitions } from "../helpers/repetitions.js";
import { serverApi } from "../helpers/server-api.js";
import { testDatabase } from "../helpers/test-database.js";
import { testFolder } from "../helpers/test-folder.js";
import { useClient } from "../helpers/use-client.js";

for (const variant of variants) {
  const { place, history } = variant;
  const [kind, pageBytes] = place;
  const { client, uri, name: dbName } = testDatabase(kind);
  const isStrict = kind === "replicaSet";
  const store = new MongoMemoryStore({
    client: isStrict ? useClient(new MongoClient(uri, { serverApi })) : client,
    dbName,
    history,
    ...withPageBytes(pageBytes),
  });
  testBackend(
    `MongoDB, ${describeVariant(variant)}${isStrict ? ", strict Stable API" : ""}`,
    (address, options) => store.memory(address, options),
    repetitions({ usual: 3, long: kind === "standalone" ? 20 : 10 }),
  );
}

const inMemory = new InMemoryStore();
testBackend(
  "a BaseStore",
  (address, options) => openMemory(inMemory, address, options),
  repetitions({ usual: 15, long: 100 }),
);

// As a node of a graph finds it in its config; never started, so only an unwrapped store could answer.
const wrapped = new AsyncBatchedStore(inMemory);
testBackend(
  "a BaseStore wrapped by LangGraph",
  (address, options) => openMemory(wrapped, address, options),
  repetitions({ usual: 5, long: 20 }),
);

const folder = testFolder();
let page: Promise<{ openMapMemory: OpenMemory }> | undefined;

testBackend(
  "the backend of docs/writing-a-backend.md",
  async (address, options) => (await (page ??= programOfPage())).openMapMemory(address, options),
  repetitions({ usual: 25, long: 50 }),
);

/** The program of the page itself, so that page and test cannot differ. */
async function programOfPage(): Promise<{ openMapMemory: OpenMemory }> {
  const [program = ""] = programsOf(pageAt("docs/writing-a-backend.md").text);
  const file = join(folder, "map-backend.ts");
  await writeFile(
    file,
    program.replace('"langgraph-mongo-memory/backend"', JSON.stringify(resolve("src/custom-backend/index.ts"))),
  );
  return (await import(file)) as { openMapMemory: OpenMemory };
}
