import { randomUUID } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import { type Memory, MongoMemoryStore } from "../../../src/index.js";
import { learn } from "../../../src/learn/index.js";
import { examined } from "../../helpers/examined.js";
import { createLearningModel, getNewTexts } from "../../helpers/learning-model.js";
import { change } from "../../helpers/scripted-learning.js";
import { readAll } from "../../helpers/read-all.js";
import { testDatabase } from "../../helpers/test-database.js";

const { client, name: dbName } = testDatabase("standalone");
const store = new MongoMemoryStore({ client, dbName, history: true });
const newMemory = (): Memory => store.memory({ nodeId: randomUUID() }, { paths: "posix" });

/** Gives a memory more versions, as if they had been made after the others. */
async function addVersions(memory: Memory, count: number): Promise<void> {
  const db = client.db(dbName);
  const versions = db.collection<{ _id: string }>("memories_versions");
  const head = await db.collection("memories").findOne({ nodeId: memory.address.nodeId });
  const key = String(head?.["key"] ?? head?._id);
  await memory.history?.at(new Date());
  const [first] = await versions.find({ _id: { $regex: `^${key}\\.` } }).toArray();
  const toId = (revision: number): string => `${key}.${String(revision).padStart(10, "0")}.000000`;
  const more = Array.from({ length: count }, (_, index) => ({
    ...first,
    _id: toId(index + 1000),
    file: String(index + 1000),
    path: `/other/${index}.md`,
    operation: "deleted" as const,
  }));
  await versions.insertMany(more);
  await db.collection("memories").updateOne({ nodeId: memory.address.nodeId }, { $set: { revision: 1000 + count } });
}

describe("a memory with a long history", () => {
  it("is read in parts, oldest first, and not listed as a whole", async () => {
    const memory = newMemory();
    for (let number = 0; number < 120; number += 1) await memory.append(`/inbox/${number}.md`, `note ${number}`);
    await addVersions(memory, 5000);
    await memory.append("/inbox/last.md", "the last note");
    const { model, prompts } = createLearningModel(() => []);
    const options = { memory, model };
    const found = await examined(client.db(dbName), "memories_versions", () => learn(options));
    expect(getNewTexts(prompts[0])).toEqual(Array.from({ length: 100 }, (_, number) => `note ${number}`));
    // A thousand are listed for a hundred, and each of them has a file of its own.
    expect(found.reduce((sum, { keysExamined }) => sum + keysExamined, 0)).toBeLessThan(2000);
    let runs = 1;
    while (!prompts.at(-1)?.includes("the last note") && runs < 40) {
      await learn(options);
      runs += 1;
    }
    expect(prompts.flatMap(getNewTexts)).toHaveLength(121);
    expect(await learn(options)).toMatchObject({ isUpToDate: true, more: false });
  });

  it("has the later versions of a file read once for many of its versions", async () => {
    const memory = newMemory();
    for (let number = 0; number < 180; number += 1) await memory.append("/inbox.md", `note ${number}`);
    const { model, prompts } = createLearningModel(() => []);
    const found = await examined(client.db(dbName), "memories_versions", () => learn({ memory, model }));
    expect(getNewTexts(prompts[0])).toHaveLength(100);
    expect(found.reduce((sum, { keysExamined }) => sum + keysExamined, 0)).toBeLessThan(1200);
  });
});

describe("a memory with many rejected proposals", () => {
  it("has only the newest ones read", async () => {
    const memory = newMemory();
    const { model } = createLearningModel(() => [change("write", "/profile/a.md", { text: "x" })]);
    await memory.append("/inbox.md", "note");
    await learn({ memory, model });
    const [proposal] = await readAll(memory.proposals?.list() ?? []);
    await memory.proposals?.reject(proposal?.id ?? "", { by: { userId: "ada" } });
    const proposals = client.db(dbName).collection<{ _id: string }>("memories_proposals");
    const rejected = await proposals.findOne({ status: "rejected", nodeId: memory.address.nodeId });
    const earlier = Array.from({ length: 1000 }, (_, index) => ({
      ...rejected,
      _id: `earlier-${index}`,
      path: `/profile/${index}.md`,
      at: new Date(index),
    }));
    await proposals.insertMany(earlier);
    await memory.append("/inbox.md", "another note");
    const found = await examined(client.db(dbName), "memories_proposals", async () => {
      const { dropped } = await learn({ memory, model });
      expect(dropped).toMatchObject([{ why: "a person has rejected this change" }]);
    });
    expect(found.reduce((sum, { docsExamined }) => sum + docsExamined, 0)).toBeLessThan(250);
  });
});
