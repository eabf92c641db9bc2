import { afterAll, expect, it } from "@jest/globals";
import type { Operation } from "../../helpers/linearizability/checker.js";
import { changes, type Command } from "../../helpers/linearizability/memory-commands.js";
import { faultOf } from "../../helpers/linearizability/memory-history.js";
import { type WorkloadName, workloads } from "../../helpers/linearizability/random-commands.js";
import { operationOf, recordedCall } from "../../helpers/linearizability/recorded-call.js";
import { Workers } from "../../helpers/linearizability/workers.js";
import type { ServerKind } from "../../helpers/mongo-servers.js";
import { withPageBytes } from "../../helpers/page-sizes.js";
import { isLong, repetitions } from "../../helpers/repetitions.js";
import { findPageFaults, readStoredPages } from "../../helpers/stored-pages.js";
import { privateMongod, testDatabase } from "../../helpers/test-database.js";
import { untilAnswers } from "../../helpers/until-answers.js";
import { useClient } from "../../helpers/use-client.js";
import { MongoClient } from "mongodb";
import { MongoMemoryStore, type Memory } from "../../../src/index.js";
import { freshAddress } from "../../helpers/memory-case.js";

const processes = 4;
const calls = repetitions({ usual: 20, long: 40 });
const rounds = repetitions({ usual: 1, long: 3 });
const crashes = repetitions({ usual: 1, long: 2 });
/** Before it, and after it. */
const callsAroundCrash = 60;
const someSeed = (): number => Math.trunc(Math.random() * 1_000_000);

interface Setting {
  kind: ServerKind;
  /** At 200 bytes each file has nearly a page of its own. At 400, small changes are one command. */
  pageBytes: number | undefined;
  history: boolean;
  workload: WorkloadName;
}

const usualSettings: readonly Setting[] = [
  { kind: "replicaSet", pageBytes: 200, history: false, workload: "tree" },
  { kind: "replicaSet", pageBytes: 200, history: true, workload: "files" },
  { kind: "replicaSet", pageBytes: 400, history: false, workload: "tree" },
  { kind: "replicaSet", pageBytes: undefined, history: false, workload: "files" },
  { kind: "replicaSet", pageBytes: undefined, history: true, workload: "tree" },
];

function listSettings(kinds: readonly ServerKind[], sizes: readonly (number | undefined)[]): Setting[] {
  return kinds.flatMap((kind) =>
    sizes.flatMap((pageBytes) =>
      [false, true].flatMap((history) =>
        (["files", "tree"] as const).map((workload): Setting => ({ kind, pageBytes, history, workload })),
      ),
    ),
  );
}

const settings = isLong ? listSettings(["replicaSet", "standalone"], [200, 400, undefined]) : usualSettings;
/** A crash takes seconds. */
const crashed = (kinds: readonly ServerKind[], usual: Setting): readonly Setting[] =>
  isLong ? listSettings(kinds, [200, undefined]) : [usual];

interface CrashedHistory {
  history: Operation<Command>[];
  /** Just before. */
  killedAt: bigint;
  /** When it took writes again. */
  restartedAt: bigint;
}

const started: Workers[] = [];
const workersOn = async (place: Parameters<typeof Workers.start>[1]): Promise<Workers> => {
  const workers = await Workers.start(processes, place);
  started.push(workers);
  return workers;
};
afterAll(() => Promise.all(started.map((workers) => workers.close())));

/** What is there at last, so that nothing is lost unseen. */
async function lastReads(memory: Memory, workload: WorkloadName): Promise<Operation<Command>[]> {
  const commands: Command[] =
    workload === "tree"
      ? [{ name: "snapshot", path: "/" }]
      : workloads.files.paths.map((path) => ({ name: "read", path }));
  const reads = [];
  for (const command of commands) reads.push(await recordedCall(memory, "the test", command));
  return reads.map((read) => {
    if (read === null) throw new Error("the last read failed");
    return operationOf(read);
  });
}

it.each(settings)(
  "what several processes do with $workload at the same time has an order that explains every answer, on a $kind with pages of $pageBytes bytes, history: $history",
  async ({ kind, pageBytes, history: keepsHistory, workload }) => {
    const { client, db, name: dbName, uri } = testDatabase(kind);
    const workers = await workersOn({ uri, dbName, pageBytes, history: keepsHistory });
    const store = new MongoMemoryStore({ client, dbName, ...withPageBytes(pageBytes) });
    for (let round = 0; round < rounds; round += 1) {
      const { nodeId } = freshAddress();
      workers.begin({ nodeId, workload, seed: someSeed(), calls });
      const history = [...(await workers.ended()), ...(await lastReads(store.memory({ nodeId }), workload))];
      expect(history.length).toBeGreaterThan(processes * calls);
      expect(faultOf(history)).toBeUndefined();
      expect(findPageFaults(await readStoredPages(db.collection("memories"), { nodeId }))).toEqual([]);
    }
    await workers.close();
  },
);

it.each(crashed(["replicaSet"], { kind: "replicaSet", pageBytes: 200, history: true, workload: "files" }))(
  "so has what they do with $workload while mongod is killed and started again, where reads see only what stays, with pages of $pageBytes bytes, history: $history",
  async (setting) => {
    for (const { history } of await crashedHistories(setting, "majority")) expect(faultOf(history)).toBeUndefined();
  },
);

it.each(
  crashed(["replicaSet", "standalone"], { kind: "replicaSet", pageBytes: 200, history: false, workload: "tree" }),
)(
  "by default so has what they do with $workload before a crash of a $kind, and so have the changes that were made before it with all that is after it, with pages of $pageBytes bytes, history: $history",
  async (setting) => {
    for (const { history, killedAt, restartedAt } of await crashedHistories(setting, "local")) {
      expect(
        faultOf(history.filter(({ calledAt }) => calledAt < killedAt).flatMap((call) => beforeCrash(call, killedAt))),
      ).toBeUndefined();
      expect(faultOf(history.filter((call) => call.calledAt > restartedAt || isChangeMade(call)))).toBeUndefined();
    }
  },
);

/**
 * A history for each crash: each leaves some calls of which nobody knows whether they happened, and each of those
 * doubles the possible orders.
 */
async function crashedHistories(
  { kind, pageBytes, history: keepsHistory, workload }: Setting,
  readConcern: "local" | "majority",
): Promise<CrashedHistory[]> {
  const mongod = await privateMongod(kind);
  const uri = new URL(mongod.uri);
  uri.searchParams.set("readConcernLevel", readConcern);
  const place = { uri: uri.href, dbName: "crash", pageBytes, history: keepsHistory };
  const workers = await workersOn(place);
  const client = useClient(new MongoClient(place.uri, { serverSelectionTimeoutMS: 2000 }));
  const store = new MongoMemoryStore({ client, dbName: place.dbName, ...withPageBytes(pageBytes) });
  const histories: CrashedHistory[] = [];
  for (let crash = 0; crash < crashes; crash += 1) {
    const { nodeId } = freshAddress();
    const memory = store.memory({ nodeId });
    workers.begin({ nodeId, workload, seed: someSeed(), calls: null });
    await workers.answered(callsAroundCrash);
    const killedAt = process.hrtime.bigint();
    await mongod.kill();
    await mongod.restart();
    const restartedAt = process.hrtime.bigint();
    await workers.answered(callsAroundCrash);
    const history = await workers.stopped();
    await untilAnswers(memory);
    histories.push({ history: [...history, ...(await lastReads(memory, workload))], killedAt, restartedAt });
    const memories = client.db(place.dbName).collection("memories");
    expect(findPageFaults(await readStoredPages(memories, { nodeId }))).toEqual([]);
  }
  await workers.close();
  await mongod.stop();
  return histories;
}

/** As if nobody had heard after the crash. */
function beforeCrash(call: Operation<Command>, killedAt: bigint): Operation<Command>[] {
  if (call.answeredAt !== null && call.answeredAt < killedAt) return [call];
  return changes(call.command) ? [{ ...call, answeredAt: null }] : [];
}

/** A change that changed nothing is a read of what may not stay, and so is a refusal. */
function isChangeMade({ command, answeredAt, answer }: Operation<Command>): boolean {
  return (
    changes(command) &&
    (answeredAt === null ||
      (answer.startsWith('{"value":') && answer !== '{"value":0}' && answer !== '{"value":{"files":0,"dirs":0}}'))
  );
}
