import { describe, expect, it } from "@jest/globals";
import { HumanMessage } from "@langchain/core/messages";
import { randomUUID } from "node:crypto";
import { type Memory, type MemoryVersion, mountMemories, MongoMemoryStore } from "../../../src/index.js";
import { readAll } from "../../helpers/read-all.js";
import { learnWith, operation } from "../../helpers/scripted-learning.js";
import { getHistory, getProposals } from "../../helpers/store-calls.js";
import { testDatabase } from "../../helpers/test-database.js";

const { client, name: dbName } = testDatabase("standalone");
const store = new MongoMemoryStore({ client, dbName, history: true });
const by = { userId: "ada" };

/** A memory with a note of a person, which is its version 1. */
async function openNoted(note = "Ada moved to Oslo."): Promise<Memory> {
  const memory = store.memory({ nodeId: randomUUID() });
  await memory.with({ actor: { userId: "ada" } }).write("/inbox/a.md", note);
  return memory;
}

const write = operation("write", "/profile/ada.md", { text: "Lives in Oslo." });

async function approveAll(memory: Memory): Promise<void> {
  for (const { id } of await readAll(getProposals(memory).list())) await getProposals(memory).approve(id, { by });
}

const listVersions = (memory: Memory, sources: string[]): Promise<MemoryVersion[]> =>
  readAll(getHistory(memory).list({ sources }));

describe("a version of learnt text", () => {
  it.each(["propose", "append-only"] as const)("keeps its sources and their trust, with apply: %j", async (apply) => {
    const memory = await openNoted();
    await learnWith(memory, [write], { apply });
    await approveAll(memory);
    const kept = { sources: ["version:1"], trust: "person", actor: { client: "learn" } };
    const [version] = await listVersions(memory, ["version:1"]);
    expect(version).toMatchObject({ ...kept, path: "/profile/ada.md" });
    expect(await getHistory(memory).read(version?.id ?? "")).toMatchObject(kept);
    expect(await getHistory(memory).blame("/profile/ada.md")).toMatchObject([{ version: kept }]);
  });

  it("keeps them when a person approves other words", async () => {
    const memory = await openNoted();
    const { proposals } = await learnWith(memory, [write]);
    await getProposals(memory).approve(proposals[0] ?? "", { by, content: "Lives in Norway." });
    expect(await listVersions(memory, ["version:1"])).toMatchObject([{ actor: by, trust: "person" }]);
  });

  it("keeps them after it has left the document of the memory", async () => {
    const memory = await openNoted();
    await learnWith(memory, [write], { apply: "append-only" });
    for (let count = 0; count < 130; count += 1) await memory.append("/inbox/a.md", `${count}`);
    expect(await listVersions(memory, ["version:2", "version:1"])).toMatchObject([{ id: "2", trust: "person" }]);
  });

  it("is found by its messages", async () => {
    const memory = await openNoted();
    const messages = [new HumanMessage({ id: "m1", content: "I moved to Oslo." })];
    await learnWith(memory, [write], { messages, apply: "append-only" });
    expect(await listVersions(memory, ["message:m1"])).toMatchObject([{ path: "/profile/ada.md" }]);
    expect(await listVersions(memory, ["message:m2"])).toEqual([]);
  });

  it("names versions of its own memory in a tree of mounts", async () => {
    const [own, team] = [await openNoted(), await openNoted()];
    for (const memory of [own, team]) await learnWith(memory, [write], { apply: "append-only" });
    const tree = mountMemories({ "/": own, "/team": team });
    const paths = async (source: string): Promise<unknown> =>
      (await listVersions(tree, [source])).map(({ id, path, sources }) => [id, path, sources]);
    expect(await paths("version:/team:1")).toEqual([["/team:2", "/team/profile/ada.md", ["version:/team:1"]]]);
    expect(await paths("version:1")).toEqual([["2", "/profile/ada.md", ["version:1"]]]);
  });
});

describe("a version of other text", () => {
  it("has no sources", async () => {
    const memory = await openNoted();
    const [version] = await readAll(getHistory(memory).list());
    expect(version).not.toHaveProperty("sources");
    expect(version).not.toHaveProperty("trust");
  });

  it("has none when it undoes learnt text", async () => {
    const memory = await openNoted();
    const { runId } = await learnWith(memory, [write], { apply: "append-only" });
    const [undone] = await getHistory(memory).revert({ runId: runId ?? "" });
    expect(undone).not.toHaveProperty("sources");
  });
});
