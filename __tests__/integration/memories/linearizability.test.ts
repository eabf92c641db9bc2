import { afterAll, expect, it } from "@jest/globals";
import type { Operation } from "../../helpers/linearizability/checker.js";
import { changes, type Command } from "../../helpers/linearizability/memory-commands.js";
import { faultOf } from "../../helpers/linearizability/memory-history.js";
import { type WorkloadName, workloads } from "../../helpers/linearizability/random-commands.js";
import { operationOf, recordedCall } from "../../helpers/linearizability/recorded-call.js";
import { Workers } from "../../helpers/linearizability/workers.js";
import { isLong, repetitions } from "../../helpers/repetitions.js";
import { privateMongod, testDatabase } from "../../helpers/test-database.js";
import { untilAnswers } from "../../helpers/until-answers.js";
import { useClient } from "../../helpers/use-client.js";
import { MongoClient } from "mongodb";
import { MongoMemoryStore } from "../../../src/mongodb/store/mongo-memory-store.js";
import type { Memory } from "../../../src/core/memory.js";
import { freshAddress } from "../../../src/testing/memory-case.js";

const processes = 3;
const calls = repetitions({ usual: 25, long: 60 });
const rounds = repetitions({ usual: 2, long: 60 });
const crashes = repetitions({ usual: 1, long: 25 });
/** Before it, and after it. */
const callsAroundCrash = 60;
const someSeed = (): number => Math.trunc(Math.random() * 1_000_000);

const workloadNames = ["files", "tree"] as const;
/** A crash takes seconds. */
const ofCrashes = (usual: WorkloadName): readonly WorkloadName[] => (isLong ? workloadNames : [usual]);

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

// Requirement: guarantees.linearizable
it.each(workloadNames)(
  "what several processes do with %s at the same time has an order that explains every answer",
  async (workload) => {
    const { client, name: dbName, uri } = testDatabase("replicaSet");
    const workers = await workersOn({ uri, dbName });
    for (let round = 0; round < rounds; round += 1) {
      const { nodeId } = freshAddress();
      workers.begin({ nodeId, workload, seed: someSeed(), calls });
      const history = [
        ...(await workers.ended()),
        ...(await lastReads(new MongoMemoryStore({ client, dbName }).memory({ nodeId }), workload)),
      ];
      expect(history.length).toBeGreaterThan(processes * calls);
      expect(faultOf(history)).toBeUndefined();
    }
  },
);

// Requirement: guarantees.linearizable, guarantees.survives-kill
it.each(ofCrashes("files"))(
  "so has what they do with %s while mongod is killed and started again, where reads see only what stays",
  async (workload) => {
    for (const { history } of await crashedHistories(workload, "majority")) expect(faultOf(history)).toBeUndefined();
  },
);

// Requirement: guarantees.linearizable, guarantees.survives-kill
it.each(ofCrashes("tree"))(
  "by default so has what they do with %s before a crash, and so have the changes that were made before it with all that is after it",
  async (workload) => {
    for (const { history, killedAt, restartedAt } of await crashedHistories(workload, "local")) {
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
async function crashedHistories(workload: WorkloadName, readConcern: "local" | "majority"): Promise<CrashedHistory[]> {
  const mongod = await privateMongod("replicaSet");
  const place = { uri: `${mongod.uri}&readConcernLevel=${readConcern}`, dbName: "crash" };
  const workers = await workersOn(place);
  const client = useClient(new MongoClient(place.uri, { serverSelectionTimeoutMS: 2000 }));
  const histories: CrashedHistory[] = [];
  for (let crash = 0; crash < crashes; crash += 1) {
    const { nodeId } = freshAddress();
    const memory = new MongoMemoryStore({ client, dbName: place.dbName }).memory({ nodeId });
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
  }
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
