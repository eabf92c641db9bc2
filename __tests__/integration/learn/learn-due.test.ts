import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, it } from "@jest/globals";
import { MemoryNode, MongoMemoryStore } from "../../../src/index.js";
import { learnDue, type LearnReport } from "../../../src/learn/index.js";
import { examined } from "../../helpers/examined.js";
import { createLearningModel, getNewTexts, type LearningModel } from "../../helpers/learning-model.js";
import { change } from "../../helpers/scripted-learning.js";
import { untyped } from "../../helpers/memory-case.js";
import { readAll } from "../../helpers/read-all.js";
import { testDatabase } from "../../helpers/test-database.js";

const { client, name: dbName } = testDatabase("standalone");
const memoriesCollection = "due";
let now = Date.parse("2026-05-03T12:00:00Z");
const store = new MongoMemoryStore({
  client,
  dbName,
  memoriesCollection,
  history: true,
  clock: () => new Date((now += 1)),
});
const hourMs = 3_600_000;
const due = { changes: 2, intervalMs: hourMs };

type DueOptions = Partial<Parameters<typeof learnDue>[0]>;

let node: MemoryNode;

beforeEach(() => {
  node = new MemoryNode({ nodeId: randomUUID(), scope: "perUser" });
});

async function note(user: string, ...texts: string[]): Promise<void> {
  const memory = store.memory({ nodeId: node.nodeId, scope: "perUser", userId: user });
  for (const text of texts) await memory.append("/inbox.md", text);
}

async function learnNow({ model }: LearningModel, options: DueOptions = {}): Promise<string[]> {
  return (await learnDue({ store, nodes: [node], model, due, ...options })).map(getUser);
}

function getUser({ address }: LearnReport): string {
  return "userId" in address ? address.userId : "";
}

describe("learnDue", () => {
  it("learns from memories with enough changes and enough time since their last good run", async () => {
    const learner = createLearningModel(() => []);
    await note("ada", "a1", "a2");
    await note("bob", "b1");
    expect(await learnNow(learner)).toEqual([]);
    now += hourMs;
    expect(await learnNow(learner)).toEqual(["ada"]);
    await note("ada", "a3", "a4");
    await note("bob", "b2");
    expect(await learnNow(learner)).toEqual(["bob"]);
    now += hourMs;
    expect(await learnNow(learner)).toEqual(["ada"]);
    expect(learner.prompts.map(getNewTexts)).toEqual([
      ["a1", "a2"],
      ["b1", "b2"],
      ["a3", "a4"],
    ]);
    now += hourMs;
    expect(await learnNow(learner)).toEqual([]);
  });

  it("goes on where the call before has ended", async () => {
    const learner = createLearningModel(() => []);
    for (const user of ["ada", "bob", "cyd"]) await note(user, `${user}1`, `${user}2`);
    now += hourMs;
    const users = [];
    for (let call = 0; call < 4; call += 1) users.push(await learnNow(learner, { limit: 1 }));
    expect(users.map(({ length }) => length)).toEqual([1, 1, 1, 0]);
    expect(users.flat().toSorted()).toEqual(["ada", "bob", "cyd"]);
  });

  it("goes on with a memory that has more new texts than one run reads", async () => {
    const learner = createLearningModel(() => []);
    const texts = ["a1", "a2", "a3", "a4", "a5"].map((text) => text.padEnd(25, "."));
    await note("ada", ...texts);
    now += hourMs;
    const options = { limits: { inputChars: 100 } };
    expect([await learnNow(learner, options), await learnNow(learner, options)]).toEqual([["ada"], ["ada"]]);
    expect(await learnNow(learner, options)).toEqual([]);
    expect(learner.prompts.map(getNewTexts)).toEqual([texts.slice(0, 4), texts.slice(4)]);
  });

  it("reports a run that failed, works on the others, and tries again after 15 minutes", async () => {
    let fails = true;
    const learner = createLearningModel((prompt) => (fails && prompt.includes("a1") ? new Error("overloaded") : []));
    for (const user of ["ada", "bob"]) await note(user, `${user[0]}1`, `${user[0]}2`);
    now += hourMs;
    const reports = await learnDue({ store, nodes: [node], model: learner.model, due });
    expect(Object.fromEntries(reports.map((report) => [getUser(report), report.error]))).toEqual({
      ada: new Error("overloaded"),
      bob: null,
    });
    fails = false;
    expect(await learnNow(learner)).toEqual([]);
    now += 15 * 60_000;
    expect(await learnNow(learner)).toEqual(["ada"]);
  });

  it("learns once from each memory, however many processes call it", async () => {
    const users = ["ada", "bob", "cyd", "dan"];
    for (const user of users) await note(user, `${user} 1`, `${user} 2`);
    now += hourMs;
    const learner = createLearningModel(() => [change("write", "/profile/a.md", { text: "x" })]);
    await Promise.all([1, 2, 3].map(() => learnNow(learner)));
    expect(learner.prompts.map((prompt) => getNewTexts(prompt)[0] ?? "").toSorted()).toEqual(
      users.map((user) => `${user} 1`),
    );
    for (const userId of users) {
      const memory = store.memory({ nodeId: node.nodeId, scope: "perUser", userId });
      expect(await readAll(memory.proposals?.list() ?? [])).toHaveLength(1);
    }
  });

  it("follows the rules of the node, and refuses a memory that its functions do not choose", async () => {
    await note("ada", "a1", "a2");
    now += hourMs;
    const learner = createLearningModel(() => [change("write", "/profile/a.md", { text: "x" })]);
    const rules = [{ path: "/profile/**", access: "read" } as const];
    const strict = new MemoryNode({ nodeId: node.nodeId, scope: "perUser", rules });
    const foreign = new MemoryNode({ nodeId: node.nodeId, scope: "perUser", userId: () => "eve" });
    const [refused] = await learnDue({ store, nodes: [foreign], model: learner.model, due });
    expect(refused?.error).toMatchObject({ code: "EINVAL" });
    now += hourMs;
    const [report] = await learnDue({ store, nodes: [strict], model: learner.model, due });
    expect([report?.proposals, report?.dropped.length]).toEqual([[], 1]);
  });

  it("stops when its signal aborts", async () => {
    await note("ada", "a1", "a2");
    now += hourMs;
    const controller = new AbortController();
    const { model } = createLearningModel(() => {
      controller.abort(new Error("enough"));
      return [];
    });
    await expect(learnNow(untyped({ model }), { signal: controller.signal })).rejects.toThrow("enough");
  });

  it("refuses bad options", async () => {
    const { model } = createLearningModel(() => []);
    const others = [{ memory: node }, { messages: [] }, { changes: false }];
    for (const bad of [{ store: {} }, { nodes: [] }, { limit: 0 }, { due: { changes: 0 } }, { write: [] }, ...others])
      await expect(learnDue(untyped({ store, nodes: [node], model, ...bad }))).rejects.toThrow(TypeError);
    await expect(learnDue(untyped({ store, node, model }))).rejects.toThrow('"nodes" was probably meant');
  });

  it("examines the memories that are due, and few others", async () => {
    const learner = createLearningModel(() => []);
    await note("ada", "a1", "a2");
    await learnNow(learner);
    const heads = client.db(dbName).collection<{ _id: string }>(memoriesCollection);
    const head = await heads.findOne({ nodeId: node.nodeId });
    const old = new Date(now - 2 * hourMs);
    // Quiet ones, ones with a change, and busy ones whose run was lately.
    const states = [
      { unlearnt: 0, learntAt: old },
      { unlearnt: 1, learntAt: old },
      { unlearnt: 7, learntAt: new Date(now) },
    ];
    const others = Array.from({ length: 3000 }, (_, index) => ({
      ...head,
      ...states[index % 3],
      _id: `quiet-${index}`,
      userId: `quiet-${index}`,
      learntAt: new Date((states[index % 3]?.learntAt.getTime() ?? 0) + index),
    }));
    await heads.insertMany(others);
    now += hourMs - 1000 * 60;
    for (let user = 0; user < 20; user += 1) await note(`due-${user}`, "1", "2");
    await learnNow(learner);
    now += hourMs;
    await heads.updateMany({ _id: /^quiet/, unlearnt: 7 }, { $set: { learntAt: new Date(now) } });
    const found = await examined(client.db(dbName), memoriesCollection, () => learnNow(learner, { limit: 10 }));
    const [query] = found;
    expect(query?.command).toBe("find");
    expect(found.map(({ command }) => command)).not.toContain("aggregate");
    expect(query?.docsExamined).toBe(10);
    expect(query?.keysExamined).toBeLessThanOrEqual(14);
  });

  it("counts the changes of found memories only, and no change that leaves everything as it was", async () => {
    const heads = client.db(dbName).collection(memoriesCollection);
    const read = async (user: string) => (await heads.findOne({ nodeId: node.nodeId, userId: user }))?.["unlearnt"];
    const learner = createLearningModel(() => []);
    await note("ada", "a1");
    await learnNow(learner);
    await note("ada", "a2");
    await note("bob", "b1");
    const memory = store.memory({ nodeId: node.nodeId, scope: "perUser", userId: "ada" });
    await memory.edit("/inbox.md", (text) => text);
    await memory.rename("/inbox.md", "/other.md");
    expect([await read("ada"), await read("bob")]).toEqual([3, undefined]);
  });
});
