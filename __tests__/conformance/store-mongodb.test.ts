import { describe, it } from "@jest/globals";
import { randomUUID } from "node:crypto";
import { MongoClient } from "mongodb";
import { MongoMemoryStore } from "../../src/index.js";
import type { ServerKind } from "../helpers/mongo-servers.js";
import { isLong } from "../helpers/repetitions.js";
import { serverApi } from "../helpers/server-api.js";
import { defineStoreSuite, type StoreSuiteRunner } from "../helpers/store-suite/suite.js";
import { testDatabase } from "../helpers/test-database.js";
import { useClient } from "../helpers/use-client.js";

/**
 * The usual run has each kind of server, each way to search and the strict Stable API once; the long one has them all
 * together.
 */
const usual = [
  ["replicaSet", "textSearch"],
  ["standalone", "strict Stable API"],
] as const;
const others = [
  ["standalone", "textSearch"],
  ["standalone", "no textSearch"],
  ["replicaSet", "no textSearch"],
] as const;
const kinds: readonly (readonly [ServerKind, string])[] = isLong ? [...usual, ...others] : usual;

const runner: StoreSuiteRunner = { describe, it };
/** What goes through LangGraph's wrapper, and concurrent calls, run on one kind of server, but in the long run. */
const createRunner = (kind: ServerKind): StoreSuiteRunner =>
  isLong || kind === "replicaSet" ? runner : { ...runner, describe: describeOnce };

function describeOnce(name: string, define: () => void): void {
  if (!/through LangGraph's wrapper$|concurrent calls/.test(name)) runner.describe(name, define);
}

describe.each(kinds)("MongoMemoryStore, %s, %s", (kind, searching) => {
  const database = testDatabase(kind);
  const client =
    searching === "strict Stable API" ? useClient(new MongoClient(database.uri, { serverApi })) : database.client;
  const options = { client, dbName: database.name };
  const textSearch = searching === "textSearch";
  const plain = new MongoMemoryStore({ ...options, textSearch });
  defineStoreSuite(createRunner(kind), () => plain, {
    openExpiring: (ttl) => {
      // In the future, where the server deletes nothing meanwhile.
      let nowMs = Date.now() + 3_600_000;
      const clock = (): Date => new Date(nowMs);
      return {
        store: new MongoMemoryStore({ ...options, itemsCollection: "expiring", textSearch, ttl, clock }),
        pass: async (ms) => void (nowMs += ms),
      };
    },
    openIndexed: (index) => new MongoMemoryStore({ ...options, itemsCollection: randomUUID(), index }),
  });
});
