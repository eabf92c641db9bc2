import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { describe, expect, it } from "@jest/globals";
import { type Memory, MongoMemoryStore } from "../../../src/index.js";
import { learn, type LearnReport } from "../../../src/learn/index.js";
import { compiled } from "../../helpers/compiled-sources.js";
import { createLearningModel } from "../../helpers/learning-model.js";
import { change } from "../../helpers/scripted-learning.js";
import { readAll } from "../../helpers/read-all.js";
import { testDatabase } from "../../helpers/test-database.js";

const { client, uri, name: dbName } = testDatabase();
const store = new MongoMemoryStore({ client, dbName, history: true });

async function newMemory(): Promise<string> {
  const nodeId = randomUUID();
  await store.memory({ nodeId }).append("/inbox.md", "a note");
  return nodeId;
}

function start(nodeId: string, step: string): ChildProcess & { stdout: NodeJS.ReadableStream } {
  const worker = compiled("__tests__/helpers/killed-learn-worker.ts");
  return spawn(process.execPath, [worker, uri, dbName, nodeId, step], { stdio: ["pipe", "pipe", "inherit"] });
}

async function learnHere(memory: Memory): Promise<LearnReport> {
  const { model } = createLearningModel(() =>
    [1, 2].map((number) => change("write", `/profile/note-${number}.md`, { text: `${number}` })),
  );
  return learn({ memory, model });
}

async function waiting(nodeId: string): Promise<string[]> {
  return (await readAll(store.memory({ nodeId }).proposals?.list() ?? [])).map(({ path }) => path).toSorted();
}

const bothNotes = ["/profile/note-1.md", "/profile/note-2.md"];

describe("a process that learns", () => {
  it("leaves nothing half and nothing twice, wherever it is killed", async () => {
    const proposed: number[] = [];
    for (let step = 1; ; step += 1) {
      const nodeId = await newMemory();
      const [, signal] = (await once(start(nodeId, String(step)), "exit")) as [unknown, string | null];
      if (signal === null) break;
      proposed.push((await waiting(nodeId)).length);
      await learnHere(store.memory({ nodeId }));
      expect(await waiting(nodeId)).toEqual(bothNotes);
      expect((await learnHere(store.memory({ nodeId }))).isUpToDate).toBe(true);
    }
    // Before the model, between the model and the insert, between two inserts, and before the bookmark.
    expect(proposed).toEqual([0, 0, 1, 2]);
  });

  it("inserts nothing if another one has read the same while it was stopped", async () => {
    const nodeId = await newMemory();
    const worker = start(nodeId, "wait");
    await once(worker.stdout, "data");
    worker.kill("SIGSTOP");
    expect((await learnHere(store.memory({ nodeId }))).proposals).toHaveLength(2);
    worker.kill("SIGCONT");
    worker.stdin?.end("go\n");
    const [result] = (await once(worker.stdout, "data")) as [Buffer];
    expect(String(result)).toBe("ECONFLICT\n");
    expect(await waiting(nodeId)).toEqual(bothNotes);
  });
});
