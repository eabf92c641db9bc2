import { afterAll, expect, it } from "@jest/globals";
import { MongoClient } from "mongodb";
import { type Memory, MongoMemoryStore } from "../../../src/index.js";
import { freshAddress } from "../../helpers/memory-case.js";
import { LineWorkers } from "../../helpers/line-workers.js";
import type { Place } from "../../helpers/page-sizes.js";
import { withPageBytes } from "../../helpers/page-sizes.js";
import { isLong, repetitions } from "../../helpers/repetitions.js";
import { getHistory } from "../../helpers/store-calls.js";
import { findPageFaults, readStoredPages } from "../../helpers/stored-pages.js";
import { privateMongod } from "../../helpers/test-database.js";
import { untilAnswers } from "../../helpers/until-answers.js";
import { useClient } from "../../helpers/use-client.js";

const processes = 4;
const linesBetween = repetitions({ usual: 30, long: 60 });
const rounds = repetitions({ usual: 1, long: 2 });
/** A server ends the transaction of a dead process after this time, which is a minute by default. */
const shortTransactions = ["--setParameter", "transactionLifetimeLimitSeconds=2"];

const started: LineWorkers[] = [];
afterAll(() => Promise.all(started.map((workers) => workers.stop())));

const settings: readonly Place[] = isLong
  ? [
      ["replicaSet", 200],
      ["replicaSet", 1_000],
      ["replicaSet", undefined],
      ["standalone", 200],
      ["standalone", undefined],
    ]
  : [
      ["replicaSet", 200],
      ["standalone", undefined],
    ];

/** A proposal of which a dead process had not learnt that it was approved is approved now, and is made once. */
async function approveRest(memory: Memory): Promise<void> {
  // All, because a killed approval left its record as one that is being applied.
  const ids: string[] = [];
  for await (const { id } of memory.proposals?.list() ?? []) ids.push(id);
  for (const id of ids) await memory.proposals?.approve(id, { by: { userId: "reviewer" } }).catch(() => undefined);
}

async function countVersions(memory: Memory): Promise<Record<string, number>> {
  const counts: Record<string, number> = { created: 0, modified: 0, renamed: 0, deleted: 0 };
  for await (const { operation } of memory.history?.list() ?? []) counts[operation] = (counts[operation] ?? 0) + 1;
  return counts;
}

it.each(settings)(
  "writers and a %s that are killed lose and double no line, no version and no approval, with pages of %s bytes",
  async (kind, pageBytes) => {
    const mongod = await privateMongod(kind, kind === "replicaSet" ? { args: shortTransactions } : {});
    const client = useClient(new MongoClient(mongod.uri, { serverSelectionTimeoutMS: 2000 }));
    const dbName = "crash";
    const store = new MongoMemoryStore({ client, dbName, history: true, ...withPageBytes(pageBytes) });
    for (let round = 0; round < rounds; round += 1) {
      const { nodeId } = freshAddress();
      const memory = store.memory({ nodeId });
      await untilAnswers(memory);
      const workers = new LineWorkers({ uri: mongod.uri, dbName, nodeId, pageBytes });
      started.push(workers);
      for (let count = 0; count < processes; count += 1) workers.start();
      for (const victim of ["writer", "server", "writer"]) {
        await workers.made(linesBetween);
        if (victim === "writer") {
          await workers.kill();
          workers.start();
        } else {
          await mongod.kill();
          await mongod.restart();
        }
      }
      await workers.made(linesBetween);
      await workers.stop();
      await untilAnswers(memory);
      await approveRest(memory);

      const { files } = await memory.snapshot();
      const lines = files.flatMap(({ content }) => content.split("\n"));
      const made = [...workers.lines].filter(([, state]) => state === "made").map(([line]) => line);
      const refused = [...workers.lines].filter(([, state]) => !["begun", "made", "unknown"].includes(state));
      expect(made.length).toBeGreaterThanOrEqual(4 * linesBetween);
      expect(lines.length).toBe(new Set(lines).size);
      expect(made.filter((line) => !lines.includes(line))).toEqual([]);
      expect(refused).toEqual([]);
      const blamed = await Promise.all(files.map(({ path }) => getHistory(memory).blame(path)));
      // Each line was brought by a version of its own.
      expect(new Set(blamed.flat().map(({ version }) => version?.id)).size).toBe(lines.length);
      const { created = 0, modified = 0, deleted } = await countVersions(memory);
      expect([created + modified, deleted]).toEqual([lines.length, 0]);
      expect(findPageFaults(await readStoredPages(client.db(dbName).collection("memories"), { nodeId }))).toEqual([]);
    }
    await mongod.stop();
  },
);
