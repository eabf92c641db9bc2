import { describe, expect, it } from "@jest/globals";
import { HumanMessage } from "@langchain/core/messages";
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { MongoClient } from "mongodb";
import { promisify } from "node:util";
import {
  type Memory,
  MemoryNode,
  type MemoryNodeOptions,
  type MemoryVersion,
  MongoMemoryStore,
} from "../../../src/index.js";
import { compiled } from "../../helpers/compiled-sources.js";
import { untyped } from "../../helpers/memory-case.js";
import { readAll } from "../../helpers/read-all.js";
import { repetitions } from "../../helpers/repetitions.js";
import { change, learnWith } from "../../helpers/scripted-learning.js";
import { getHistory, getProposals } from "../../helpers/store-calls.js";
import { testDatabase } from "../../helpers/test-database.js";
import { useClient } from "../../helpers/use-client.js";

const { client, db, uri, name: dbName } = testDatabase("standalone");
const store = new MongoMemoryStore({ client, dbName, history: true });
const by = { userId: "ada" };

/** A memory with a note of a person, which is its version 1. */
async function openNoted(note = "Ada moved to Oslo."): Promise<Memory> {
  const memory = store.memory({ nodeId: randomUUID() });
  await memory.with({ actor: { userId: "ada", client: "our app" } }).write("/inbox/a.md", note);
  return memory;
}

const write = change("write", "/profile/ada.md", { text: "Lives in Oslo." });

const listVersions = (memory: Memory, sources: string[]): Promise<MemoryVersion[]> =>
  readAll(getHistory(memory).list({ sources }));

it("a version of learnt text keeps its sources after it has left the document of the memory", async () => {
  const memory = await openNoted();
  await learnWith(memory, [write], { apply: "append-only" });
  for (let count = 0; count < 130; count += 1) await memory.append("/inbox/a.md", `${count}`);
  expect(await listVersions(memory, ["version:2", "version:1"])).toMatchObject([{ id: "2", trust: "person" }]);
});

it("the origin of a change is refused from an agent's tool", async () => {
  const node = new MemoryNode({ store, nodeId: randomUUID() });
  const origin = { sources: ["version:1"], trust: "person" };
  const args = { command: "append", path: "/a", content: "x", origin, ...origin };
  expect(await node.memoryTools[0]?.invoke(untyped(args))).toContain('"ok":false');
  expect(await readAll(getHistory(node.memory()).list())).toEqual([]);
});

type Erase = (memory: Memory) => Promise<unknown>;

const eraseBy: [string, Erase][] = [
  ["its path", (memory) => getHistory(memory).redact({ path: "/inbox/a.md" })],
  ["a text", (memory) => getHistory(memory).redact({ text: "Oslo" })],
];

/** A memory whose note is overwritten, so that its first version can be redacted, and a proposal that paraphrases it. */
async function openWaiting(): Promise<{ memory: Memory; id: string }> {
  const memory = await openNoted();
  const { proposals } = await learnWith(memory, [change("write", "/profile/ada.md", { text: "Lives in Norway." })]);
  await memory.write("/inbox/a.md", "another note");
  await memory.write("/inbox/a.md", "a third note");
  return { memory, id: proposals[0] ?? "" };
}

describe("a redaction of a source", () => {
  it("covers a text in the ids of sources, such as names of what was moved in, but in no id of a version", async () => {
    const memory = await openNoted();
    const messages = [new HumanMessage({ id: "Ada-1", content: "I moved." })];
    const operations = ["/profile/a.md", "/profile/b.md", "/profile/c.md"].map((path) =>
      change("write", path, { text: `In Norway: ${path}`, sources: ["s1", "s2"] }),
    );
    const { proposals } = await learnWith(memory, operations, { messages, changes: true });
    await getProposals(memory).approve(proposals[0] ?? "", { by });
    await getProposals(memory).reject(proposals[1] ?? "", { by });
    await memory.write("/inbox/a.md", "another note");
    const getSources = async (id = ""): Promise<unknown> => (await getProposals(memory).get(id))?.origin?.sources;
    await getHistory(memory).redact({ text: "Ada" });
    for (const id of proposals) expect(await getSources(id)).toEqual(["version:1", "message:----1"]);
    expect(await listVersions(memory, ["version:1"])).toMatchObject([{ sources: ["version:1", "message:----1"] }]);
    for (const text of ["version", "1"]) await getHistory(memory).redact({ text });
    for (const id of proposals) expect(await getSources(id)).toEqual(["version:1", "message:-----"]);
  });

  it.each(eraseBy)("by %s finishes an approval that a crash has interrupted", async (_name, erase) => {
    const { memory, id } = await openWaiting();
    const interrupted = { status: "applying", token: "of the dead", claim: "of the dead" };
    await db.collection<{ _id: string }>("memories_proposals").updateOne({ _id: id }, { $set: interrupted });
    await erase(memory);
    // Unlike `get`, a list finishes nothing.
    expect(await readAll(getProposals(memory).list({ status: "approved" }))).toMatchObject([{ id }]);
    expect(await memory.read("/profile/ada.md")).toBe("Lives in Norway.");
  });

  it.each(eraseBy)("by %s is refused before it begins where the proposal may not be changed", async (_name, erase) => {
    const { memory, id } = await openWaiting();
    const rules = [{ path: "/profile/**", access: "read" as const }];
    const node = new MemoryNode({ store, nodeId: memory.address.nodeId, rules });
    await expect(erase(node.memory())).rejects.toMatchObject({ code: "EACCES" });
    expect(await getProposals(memory).get(id)).toMatchObject({ status: "pending", content: "Lives in Norway." });
    expect(await getHistory(memory).read("1")).toMatchObject({ content: "Ada moved to Oslo." });
  });
});

/** Another process, which shares nothing with the store of the run. */
const otherClient = useClient(new MongoClient(uri));
const other = new MongoMemoryStore({ client: otherClient, dbName, history: true });

describe("a source that goes while a run is under way", () => {
  const runs = eraseBy.flatMap(([name, erase]) =>
    (["propose", "append-only"] as const).map((apply) => [name, apply, erase] as const),
  );

  /** A node whose guard does something when the change is made: the first call of the guard checks the answer. */
  const openGuarded = (
    nodeId: string,
    meanwhile: () => Promise<unknown>,
    access: Pick<MemoryNodeOptions, "rules" | "mounts"> = {},
  ): MemoryNode => {
    let calls = 0;
    const guard = async (): Promise<void> => {
      calls += 1;
      if (calls === 2) await meanwhile();
    };
    return new MemoryNode({ store, nodeId, ...access, guard });
  };

  it.each(runs)("by %s leaves nothing with apply %j, however late", async (_name, apply, erase) => {
    const memory = await openNoted();
    for (const note of ["another note", "a third note"]) await memory.write("/inbox/a.md", note);
    const { nodeId } = memory.address;
    const node = openGuarded(nodeId, () => erase(other.memory({ nodeId })));
    const norway = change("write", "/profile/ada.md", { text: "Lives in Norway." });
    const { proposals, applied, dropped } = await learnWith(node.memory(), [norway], { apply });
    expect({ proposals, applied }).toEqual({ proposals: [], applied: [] });
    expect(dropped).toMatchObject([{ why: "a text that it rests on is redacted" }]);
    expect(await memory.stat("/profile/ada.md")).toBeNull();
    expect(await isStored("Norway", nodeId)).toBe(false);
  });

  const additionsOnly: [name: string, access: Pick<MemoryNodeOptions, "rules" | "mounts">][] = [
    ["rule", { rules: [{ path: "/profile/**", access: "append" }] }],
    ["mount", { mounts: { "/": { access: "append" } } }],
  ];

  it.each(additionsOnly)("leaves nothing where a %s allows additions only", async (_name, access) => {
    const memory = await openNoted();
    for (const note of ["another note", "a third note"]) await memory.write("/inbox/a.md", note);
    const { nodeId } = memory.address;
    const redact = (): Promise<unknown> => getHistory(other.memory({ nodeId })).redact({ path: "/inbox/a.md" });
    const node = openGuarded(nodeId, redact, access);
    const norway = change("write", "/profile/ada.md", { text: "Lives in Norway." });
    const { dropped } = await learnWith(node.memory(), [norway], { apply: "append-only" });
    expect(dropped).toMatchObject([{ why: "a text that it rests on is redacted" }]);
    expect(await memory.stat("/profile/ada.md")).toBeNull();
    expect(await isStored("Norway", nodeId)).toBe(false);
  });

  it.each(["propose", "append-only"] as const)("by forget leaves nothing with apply %j", async (apply) => {
    const memory = await openNoted();
    const { nodeId } = memory.address;
    const node = openGuarded(nodeId, () => other.forget({ nodeId }));
    const run = learnWith(node.memory(), [write], { apply });
    await expect(run).rejects.toMatchObject({ code: "ECONFLICT" });
    expect(await isStored("Lives in Oslo", nodeId)).toBe(false);
    expect(await readAll(getProposals(memory).list())).toEqual([]);
  });

  it("by forget in another process leaves no document of the user", async () => {
    const userId = randomUUID();
    const memory = store.memory({ nodeId: "forgotten", scope: "perUser", userId });
    await memory.write("/inbox/a.md", "Ada moved to Oslo.");
    const forgetInProcess = (): Promise<unknown> =>
      promisify(execFile)(process.execPath, [compiled("__tests__/helpers/forget-worker.ts"), uri, dbName, userId]);
    const run = learnWith(memory, [write], { apply: "append-only", meanwhile: forgetInProcess });
    await expect(run).rejects.toMatchObject({ code: "ECONFLICT" });
    expect(await isStored(userId)).toBe(false);
  });

  it("leaves nothing that waits, however the run and the redaction overtake each other", async () => {
    for (let count = 0, delayMs = 0; count < repetitions({ usual: 12, long: 60 }); count += 1, delayMs += 1.5) {
      const memory = await openNoted();
      const { nodeId } = memory.address;
      for (const note of ["another note", "a third note"]) await memory.write("/inbox/a.md", note);
      const erase = async (): Promise<void> => {
        await new Promise((resolve) => setTimeout(resolve, delayMs % 20));
        await getHistory(other.memory({ nodeId })).redact({ path: "/inbox/a.md" });
      };
      let erasing: Promise<void> | undefined;
      const meanwhile = async (): Promise<void> => void (erasing = erase());
      await learnWith(memory, [write], { meanwhile });
      await erasing;
      expect(await isStored("Lives in Oslo", nodeId)).toBe(false);
    }
  });
});

/** Whether any document of the database, or of a node, contains a text. */
async function isStored(text: string, nodeId?: string): Promise<boolean> {
  const collections = await db.listCollections({}, { nameOnly: true }).toArray();
  const documents = await Promise.all(collections.map(({ name }) => db.collection(name).find().toArray()));
  const heads = documents.flat().filter((document) => nodeId === undefined || document["nodeId"] === nodeId);
  const keys = heads.map(({ _id, key }) => String(key ?? _id));
  const own = documents.flat().filter(({ _id }) => keys.some((key) => String(_id).startsWith(key)));
  return JSON.stringify([heads, own]).includes(text);
}
