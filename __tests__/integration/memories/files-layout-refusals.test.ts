import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Document, MongoClient } from "mongodb";
import { MongoMemoryStore } from "../../../src/mongodb/store/mongo-memory-store.js";
import { findMongod } from "../../helpers/mongod-binary.js";
import { PrivateMongod } from "../../helpers/mongo-servers.js";
import { isLong } from "../../helpers/repetitions.js";

/** A node that joins the replica set of another one. */
interface Secondary {
  port: number;
  dbPath: string;
  process: ChildProcess;
}

async function startSecondary(port: number, replicaSet: string): Promise<Secondary> {
  const { path } = await findMongod();
  const dbPath = await mkdtemp(join(tmpdir(), "langgraph-mongo-memory-"));
  const args = ["--port", `${port}`, "--dbpath", dbPath, "--replSet", replicaSet, "--bind_ip", "127.0.0.1"];
  return { port, dbPath, process: spawn(path, [...args, "--nounixsocket"], { stdio: "ignore" }) };
}

(isLong ? describe : describe.skip)("a refusal of the layout files, with three nodes", () => {
  let primary: PrivateMongod;
  let client: MongoClient;
  const secondaries: Secondary[] = [];

  beforeAll(async () => {
    primary = await PrivateMongod.start("replicaSet");
    const replicaSet = new URL(primary.uri).searchParams.get("replicaSet") ?? "";
    client = await new MongoClient(primary.uri).connect();
    const admin = client.db("admin");
    for (const offset of [1, 2]) {
      secondaries.push(await startSecondary(primary.port + offset, replicaSet));
      const { config } = (await admin.command({ replSetGetConfig: 1 })) as {
        config: Document & { members: Document[] };
      };
      const member = { _id: offset, host: `127.0.0.1:${primary.port + offset}`, priority: 0 };
      await admin.command({ replSetReconfig: { ...config, members: [...config.members, member] }, force: true });
    }
  }, 60_000);

  afterAll(async () => {
    await client.close();
    for (const { process, dbPath } of secondaries) {
      process.kill("SIGCONT");
      process.kill("SIGKILL");
      await rm(dbPath, { recursive: true, force: true });
    }
    await primary.stop();
  });

  // Requirement: guarantees.linearizable
  it.each([false, true])(
    "waits until a majority has what it has read (with history: %s)",
    async (history) => {
      const dbName = `refusals-${history}`;
      const store = new MongoMemoryStore({ client, dbName, layout: "files", ...(history && { history: true }) });
      const memory = store.memory({ nodeId: "n" });
      await memory.write("/seed", "x");
      for (const { process } of secondaries) process.kill("SIGSTOP");
      const files = client.db(dbName).collection<{ _id: string }>("memories_files", { writeConcern: { w: 1 } });
      const seed = await files.findOne({ _id: { $regex: "seed$" } });
      // One node alone has it.
      await files.insertOne({ ...seed, _id: seed?._id.replace("seed", "new") ?? "" });
      let answer: unknown = "none";
      const refusal = memory.write("/new", "y", { ifExists: "fail" }).catch((error: unknown) => (answer = error));
      await sleep(2000);
      const answerBefore = answer;
      for (const { process } of secondaries) process.kill("SIGCONT");
      await refusal;
      expect(answerBefore).toBe("none");
      expect(answer).toMatchObject({ code: "EEXIST" });
    },
    60_000,
  );
});
