import { describe, expect, it, jest } from "@jest/globals";
import { randomUUID } from "node:crypto";
import { Collection, type Document, MongoClient } from "mongodb";
import {
  type MemoryHistory,
  type MemoryVersion,
  type Memory,
  mountMemories,
  MemoryTool,
  MemoryNode,
  MongoMemoryStore,
  type MongoMemoryStoreOptions,
} from "../../../src/index.js";
import { refuses } from "../../helpers/memory-case.js";
import { createAgent } from "langchain";
import { commandsOf } from "../../helpers/commands-of.js";
import { findStored } from "../../helpers/find-stored.js";
import { getHistory } from "../../helpers/store-calls.js";
import { readAll } from "../../helpers/read-all.js";
import { ScriptedChatModel } from "../../helpers/scripted-chat-model.js";
import { testDatabase } from "../../helpers/test-database.js";
import { until } from "../../helpers/until-answers.js";
import { useClient } from "../../helpers/use-client.js";

const summary = ({ operation, path, from }: MemoryVersion): string =>
  `${operation} ${from === undefined ? "" : `${from} -> `}${path}`;

const { uri, db, name: dbName } = testDatabase("standalone");
const client = useClient(new MongoClient(uri, { monitorCommands: true }));
let nowMs = Date.now();
const open = (options: Partial<MongoMemoryStoreOptions> = {}): MongoMemoryStore =>
  new MongoMemoryStore({ client, dbName, ...options });
const store = open({ history: true, clock: () => new Date((nowMs += 1)) });
const freshMemory = (): Memory => store.memory({ nodeId: randomUUID() });
const commandsPerChange = 1.1;

describe("the history of a memory", () => {
  it("is null in a store without it", () => {
    expect(open().memory({ nodeId: "a" }).history).toBeNull();
  });

  it("has a version for each change of a file, newest first", async () => {
    const memory = freshMemory();
    await memory.write("/notes/a", "one");
    await memory.append("/notes/a", "two");
    await memory.update("/notes/a", "one", "1");
    await memory.edit("/notes/a", (text) => `${text}!`);
    await memory.rename("/notes/a", "/notes/b");
    await memory.write("/notes/c", "c");
    await memory.rename("/notes", "/other");
    await memory.delete("/other");
    const versions = await readAll(getHistory(memory).list());
    expect(versions.map(summary).toReversed()).toEqual([
      "created /notes/a",
      "modified /notes/a",
      "modified /notes/a",
      "modified /notes/a",
      "renamed /notes/a -> /notes/b",
      "created /notes/c",
      "renamed /notes/b -> /other/b",
      "renamed /notes/c -> /other/c",
      "deleted /other/b",
      "deleted /other/c",
    ]);
    const contents = await Promise.all(
      versions.toReversed().map(async ({ id }) => (await getHistory(memory).read(id)).content),
    );
    expect(contents).toEqual(["one", "one\ntwo", "1\ntwo", "1\ntwo!", "1\ntwo!", "c", "1\ntwo!", "c", null, null]);
  });

  it("has none for what changes nothing", async () => {
    const memory = freshMemory();
    await memory.write("/a", "text");
    await memory.write("/a", "text");
    await memory.append("/a", "");
    await memory.edit("/a", (text) => text);
    await memory.update("/a", "missing", "x");
    await memory.update("/a", "text", "text");
    await memory.delete("/b");
    await refuses(memory.rename("/b", "/c"), "ENOENT");
    expect(await readAll(getHistory(memory).list())).toHaveLength(1);
  });

  it(`takes ${commandsPerChange} commands a change on average, and reads the same before and after versions leave the document`, async () => {
    const memory = freshMemory();
    const sent = await commandsOf(client, async () => {
      for (let index = 0; index < 250; index += 1) await memory.append("/log", `line ${index}`);
    });
    expect(sent.length).toBeLessThanOrEqual(250 * commandsPerChange);
    const versions = await readAll(getHistory(memory).list());
    expect(versions.map(({ id }) => Number(id))).toEqual(Array.from({ length: 250 }, (_, index) => 250 - index));
    expect((await getHistory(memory).read("7")).content).toBe(
      Array.from({ length: 7 }, (_, index) => `line ${index}`).join("\n"),
    );
    expect(await db.collection<{ _id: string }>("memories_versions").countDocuments()).toBeGreaterThanOrEqual(200);
  });
});

describe("redaction", () => {
  it("leaves the secret in no document of the database, and who and when", async () => {
    const memory = freshMemory().with({ actor: { userId: "ada" } });
    const secret = `secret ${randomUUID()}`;
    await memory.write(`/${secret}`, "first");
    await memory.append(`/${secret}`, secret);
    await memory.rename(`/${secret}`, "/plain");
    await memory.append("/plain", "more");
    await memory.write("/plain", "harmless");
    await memory.append("/plain", "end");
    const versions = (await readAll(getHistory(memory).list())).toReversed();
    expect(await findStored(db, secret)).not.toEqual([]);
    expect(versions).toHaveLength(6);
    expect(await getHistory(memory).redact({ path: "/plain" })).toBe(5);
    expect(await getHistory(memory).redact({ path: "/plain" })).toBe(0);
    expect(await findStored(db, secret)).toEqual([]);
    const left = (await readAll(getHistory(memory).list())).toReversed();
    expect(
      left.map(({ operation, path, sizeBytes, sha256, redactedBy }) => ({
        operation,
        path,
        sizeBytes,
        isHashed: sha256 !== null,
        redactedBy,
      })),
    ).toEqual([
      ...["created", "modified", "renamed", "modified", "modified"].map((operation) => ({
        operation,
        path: "",
        sizeBytes: null,
        isHashed: false,
        redactedBy: { userId: "ada" },
      })),
      { operation: "modified", path: "/plain", sizeBytes: expect.any(Number), isHashed: true, redactedBy: undefined },
    ]);
    expect(left.every(({ actor }) => actor?.userId === "ada")).toBe(true);
    expect(await memory.read("/plain")).toBe("harmless\nend");
  });

  it("of a path takes the earlier texts of that file, and no other", async () => {
    const memory = freshMemory();
    for (const text of ["one", "two", "three"]) await memory.write("/a", text);
    await memory.write("/b", "other");
    await memory.write("/b", "another");
    expect(await getHistory(memory).redact({ path: "/a" })).toBe(2);
    const read = async (id: string): Promise<unknown> => (await getHistory(memory).read(id)).content;
    expect(await Promise.all(["1", "2", "3", "4", "5"].map(read))).toEqual([null, null, "three", "other", "another"]);
    await memory.write("/a", "four");
    expect(await Promise.all(["1", "2", "3"].map(read))).toEqual([null, null, "three"]);
  });

  it("of a path takes all versions of files that were there, under each of their names", async () => {
    const memory = freshMemory();
    const secret = `secret ${randomUUID()}`;
    await memory.write("/a", `${secret} of a deleted file`);
    await memory.delete("/a");
    await memory.write("/a", secret);
    await memory.rename("/a", "/b");
    await memory.append("/b", secret);
    await memory.delete("/b");
    expect(await getHistory(memory).redact({ path: "/a" })).toBe(6);
    expect(await findStored(db, secret)).toEqual([]);
    expect(await readAll(getHistory(memory).list({ path: "/b" }))).toEqual([]);
  });

  it("takes out all where several calls at once redact the same file", async () => {
    const memories = Array.from({ length: 3 }, freshMemory);
    await Promise.all(
      memories.map(async (memory) => {
        for (const text of ["one", "two", "three", "four", "five", "six"]) await memory.write("/a", text);
        const ids = ["1", "2", "3", "4", "5"];
        await Promise.all([
          ...ids.map(() => getHistory(memory).redact({ path: "/a" })),
          getHistory(memory).redact({ text: "three" }),
        ]);
        const texts = await Promise.all([...ids, "6"].map(async (id) => (await getHistory(memory).read(id)).content));
        expect(texts).toEqual([null, null, null, null, null, "six"]);
      }),
    );
  });

  it("reaches a text that only the next version of one that is no longer kept still has", async () => {
    const short = open({ memoriesCollection: "short", history: { keepVersions: 1 } });
    const memory = short.memory({ nodeId: randomUUID() });
    const secret = `secret ${randomUUID()}`;
    await memory.write("/a", secret);
    await memory.append("/a", "more");
    await memory.write("/a", "harmless");
    // Every redaction first moves the versions out of the memory's document, and lets go those that need not be kept.
    await getHistory(memory).redact({ text: "no such text" });
    await refuses(getHistory(memory).read("2"), "ENOENT");
    expect(await findStored(db, secret)).not.toEqual([]);
    await getHistory(memory).redact({ text: secret });
    expect(await findStored(db, secret)).toEqual([]);
    expect((await getHistory(memory).read("3")).content).toBe("harmless");
  });

  it.each<[string, (memory: Memory) => Promise<unknown>]>([
    ["written again", (memory) => memory.write("/a", "other").then(() => memory.write("/a", "secret"))],
    ["added to", (memory) => memory.append("/a", "more")],
    ["renamed", (memory) => memory.rename("/a", "/b")],
  ])("of a path leaves the text that the file has after it was %s", async (_, change) => {
    const memory = freshMemory();
    await memory.write("/a", "secret");
    await change(memory);
    const before = await memory.snapshot();
    const [last] = await readAll(getHistory(memory).list());
    expect(await getHistory(memory).redact({ path: "/a" })).toBeGreaterThan(0);
    expect((await memory.snapshot()).files).toEqual(before.files);
    expect((await getHistory(memory).read(last?.id ?? "")).content).toBe(before.files[0]?.content);
    expect((await getHistory(memory).read("1")).content).toBeNull();
  });
});

describe("revert", () => {
  const run = (memory: Memory, runId: string): Memory => memory.with({ actor: { runId } });

  it("undoes all that a run has changed, in one step", async () => {
    const memory = freshMemory();
    await memory.write("/kept", "old");
    await memory.write("/moved", "text");
    await memory.write("/gone/a", "text");
    await run(memory, "r").append("/kept", "new");
    await run(memory, "r").rename("/moved", "/elsewhere");
    await run(memory, "r").delete("/gone");
    await run(memory, "r").write("/made/b", "text");
    const sent = await commandsOf(client, () => getHistory(memory).revert({ runId: "r" }));
    expect(sent.filter(({ commandName }) => commandName === "findAndModify")).toHaveLength(1);
    const { files, directories } = await memory.snapshot();
    expect([files.map(({ path, content }) => [path, content]), directories]).toEqual([
      [
        ["/gone/a", "text"],
        ["/kept", "old"],
        ["/moved", "text"],
      ],
      ["/gone"],
    ]);
    expect(await getHistory(memory).revert({ runId: "r" })).toEqual([]);
  });

  it("names a later change that it would undo, and undoes it where it is told to", async () => {
    const memory = freshMemory();
    await run(memory, "bad").write("/a", "poison");
    await memory.with({ actor: { userId: "ada" } }).append("/a", "later");
    await expect(getHistory(memory).revert({ runId: "bad" })).rejects.toMatchObject({
      code: "ECONFLICT",
      path: "/a",
      message: expect.stringMatching(/version 2 modified \/a by userId ada/),
      details: { laterVersion: { id: "2", operation: "modified", actor: { userId: "ada" }, isRedacted: false } },
    });
    expect((await getHistory(memory).revert({ runId: "bad" }, { force: true })).map(summary)).toEqual(["deleted /a"]);
    expect((await memory.snapshot()).files).toEqual([]);
  });
});

describe("a memory with history", () => {
  it("takes its versions along when it is forgotten, and others forget who changed them", async () => {
    const userId = randomUUID();
    const own = store.memory({ nodeId: "own", scope: "perUser", userId });
    const other = freshMemory().with({ actor: { userId, runId: "kept" } });
    for (let index = 0; index < 70; index += 1) await Promise.all([own.append("/a", "x"), other.append("/a", "x")]);
    const { versions } = await store.forget({ userId });
    expect(versions).toBe(70);
    expect(await findStored(db, userId)).toEqual([]);
    expect((await readAll(getHistory(other).list())).map(({ actor }) => actor)).toEqual(
      Array.from({ length: 70 }, () => ({ runId: "kept" })),
    );
  });

  it("has each version counted once that a broken flush has copied", async () => {
    const address = { nodeId: randomUUID() };
    const memory = store.memory(address);
    for (let index = 0; index < 3; index += 1) await memory.write("/a", String(index));
    const memories = db.collection("memories");
    const before: Document = (await memories.findOne(address)) ?? {};
    await getHistory(memory).redact({ text: "no such text" });
    if ("outbox" in before) await memories.updateOne(address, { $set: { outbox: before["outbox"] } });
    expect(await store.forget(address)).toMatchObject({ versions: 3 });
  });

  it.each([0, 65])("has its %i stored versions counted by a forget in the middle of a flush", async (stored) => {
    const address = { nodeId: randomUUID() };
    const memory = store.memory(address);
    for (let index = 0; index < stored; index += 1) await memory.append("/a", "x");
    await getHistory(memory).redact({ text: "no such text" });
    await memory.append("/a", "x");
    const storing = jest.spyOn(Collection.prototype, "insertMany");
    storing.mockImplementationOnce(async function (this: Collection, ...args) {
      await db.collection("memories").deleteMany(address);
      return this.insertMany(...args);
    });
    await getHistory(memory).redact({ text: "no such text" });
    storing.mockRestore();
    expect((await findStored(db, address.nodeId)).length > 0).toBe(stored > 0);
    expect(await store.forget(address)).toMatchObject({ versions: stored });
    expect(await findStored(db, address.nodeId)).toEqual([]);
  });

  it("loses its versions with the first forget after a crash in the middle of one", async () => {
    const address = { nodeId: randomUUID() };
    const memory = store.memory(address);
    for (let index = 0; index < 70; index += 1) await memory.append("/a", "x");
    await db.collection("memories").deleteMany(address);
    await memory.write("/a", "new");
    expect((await store.forget(address)).versions).toBeGreaterThanOrEqual(60);
    expect(await findStored(db, address.nodeId)).toEqual([]);
  });

  it("begins a new history when it has expired, and takes the old one away", async () => {
    // In the future, because the server deletes by its own clock what has expired.
    let futureMs = Date.now() + 3_600_000;
    const expiring = open({
      memoriesCollection: "expiring",
      history: true,
      expireMs: { perUser: 1000 },
      clock: () => new Date(futureMs),
    });
    const memory = expiring.memory({ nodeId: "a", scope: "perUser", userId: "ada" });
    for (let index = 0; index < 70; index += 1) await memory.append("/a", "x");
    const versions = db.collection("expiring_versions");
    const findFirstEnd = async (): Promise<unknown> =>
      (await versions.find().sort({ expiresAt: 1 }).limit(1).toArray())[0]?.["expiresAt"];
    // Versions are moved behind the changes.
    await until(async () => (await findFirstEnd()) !== undefined);
    const end = new Date(futureMs + 2998);
    expect(Number(await findFirstEnd())).toBeLessThan(Number(end));
    futureMs += 999;
    await memory.append("/a", "x");
    futureMs += 999;
    await memory.append("/a", "x");
    await until(async () => Number(await findFirstEnd()) >= Number(end));
    futureMs += 1000;
    await memory.append("/a", "new");
    expect((await readAll(getHistory(memory).list())).map(summary)).toEqual(["created /a"]);
    await until(async () => (await versions.countDocuments()) === 0);
  });

  it("lets versions of a time without `expireMs` expire too, from its next change on", async () => {
    const memoriesCollection = "expiring later";
    const address = { nodeId: "a" };
    await open({ memoriesCollection, history: true }).memory(address).write("/a", "x");
    const memory = open({ memoriesCollection, history: true, expireMs: { global: 86_400_000 } }).memory(address);
    await memory.write("/a", "y");
    // What is still in the memory's document is moved.
    await getHistory(memory).redact({ text: "no such text" });
    const versions = db.collection("expiring later_versions");
    await until(async () => (await versions.countDocuments({ expiresAt: { $exists: false } })) === 0);
    expect(await versions.countDocuments()).toBe(3);
  });

  it("does not count against its limit, nor in its size, what its document keeps for a while", async () => {
    const small = store.memory({ nodeId: randomUUID() }, { maxMemoryBytes: 3000 });
    for (let index = 0; index < 30; index += 1) await small.write("/a", `${index}`.padEnd(1000, "x"));
    expect(await small.read("/a")).toContain("29");
    await refuses(small.write("/b", "x".repeat(2500)), "ENOSPC");
    const [summaryOf] = await readAll(store.listMemories({ nodeId: small.address.nodeId }));
    expect(summaryOf?.sizeBytes).toBeLessThan(1500);
  });

  it("goes on exactly in a store without history, which records nothing", async () => {
    const memory = freshMemory();
    await memory.write("/a", "one");
    const plain = open().memory(memory.address);
    await plain.write("/b", "two");
    expect(await plain.snapshot()).toMatchObject({
      files: [{ content: "one" }, { content: "two" }],
      revision: 2,
    });
    await memory.append("/a", "three");
    expect((await readAll(getHistory(memory).list())).map(({ id }) => id)).toEqual(["3", "1"]);
  });

  it("is told who acts by the run, over what the program says, and never by a model", async () => {
    const base = freshMemory().with({ actor: { agent: "writer", threadId: "program" } });
    const tool = new MemoryTool({ memory: base });
    const config = {
      configurable: { thread_id: "t", user_id: "ada", run_id: randomUUID(), actor: { userId: "eve" } },
      toolCall: { id: "call", name: "memory", args: {} },
    };
    await tool.invoke({ command: "append", path: "/a", content: "text", actor: { userId: "eve" } } as never, config);
    await tool.invoke({ command: "append", path: "/a", content: "text" }, config);
    const [version] = await readAll(getHistory(base).list());
    expect(version?.actor).toEqual({
      agent: "writer",
      threadId: "t",
      userId: "ada",
      runId: config.configurable.run_id,
      toolCallId: "call",
    });
  });

  it("lists what is before and after a time", async () => {
    const memory = freshMemory();
    for (const path of ["/a", "/b"]) await memory.write(path, "x");
    const { updatedAt } = await memory.write("/c", "x");
    await memory.rename("/a", "/d");
    const paths = async (filter: Parameters<MemoryHistory["list"]>[0]): Promise<string[]> =>
      (await readAll(getHistory(memory).list(filter))).map(({ path }) => path);
    expect(await paths({ after: updatedAt })).toEqual(["/d"]);
    expect(await paths({ before: updatedAt, limit: 1 })).toEqual(["/b"]);
  });

  it("has the tree as it was at a time, also of directories", async () => {
    const memory = freshMemory();
    await memory.write("/a", "one");
    const { updatedAt } = await memory.write("/d/c", "three");
    const before = new Date(updatedAt.getTime() - 1);
    await memory.rename("/d", "/e");
    const at = async (of: Memory, when: Date): Promise<unknown> => {
      const { files, directories } = await getHistory(of).at(when);
      return [files.map(({ path, content }) => [path, content]), directories];
    };
    expect(await at(memory, updatedAt)).toEqual([
      [
        ["/a", "one"],
        ["/d/c", "three"],
      ],
      ["/d"],
    ]);
    expect(await at(memory, before)).toEqual([[["/a", "one"]], []]);
    expect(await at(memory, new Date(0))).toEqual([[], []]);
    expect(await at(memory, new Date(nowMs + 1))).toEqual([
      [
        ["/a", "one"],
        ["/e/c", "three"],
      ],
      ["/e"],
    ]);
    await refuses(getHistory(memory).at(new Date(NaN)), "EINVAL");
    await refuses(getHistory(freshMemory()).at(new Date()), "ENOENT");
  });

  it("names the agent of a run by the name that createAgent has", async () => {
    const memory = freshMemory();
    const append = { tool: "memory", args: { command: "append", path: "/a", content: "x" } };
    const model = new ScriptedChatModel((messages) => (messages.at(-1)?.getType() === "tool" ? "done" : [append]));
    const agent = createAgent({ name: "helper", model, tools: [new MemoryTool({ memory })] });
    const config = { configurable: { thread_id: "t", user_id: "ada", run_id: randomUUID() } };
    await agent.invoke({ messages: [{ role: "user", content: "go" }] }, config);
    const [version] = await readAll(getHistory(memory).list());
    expect(version?.actor).toMatchObject({ agent: "helper", userId: "ada", threadId: "t", node: "tools" });
  });

  it("of a tree of mounts is that of the memory at /", async () => {
    const [own, team] = [freshMemory(), freshMemory()];
    const tree = mountMemories({ "/": own, "/team": { memory: team, access: "read" } });
    await tree.write("/a", "1");
    await team.write("/b", "2");
    const history = getHistory(tree);
    expect((await readAll(history.list())).map(({ id, path }) => [id, path])).toEqual([["1", "/a"]]);
    expect((await history.blame("/a")).map(({ version }) => version?.id)).toEqual(["1"]);
    await refuses(history.blame("/team/b"), "ENOENT");
    expect(mountMemories({ "/": open().memory({ nodeId: "a" }), "/team": team }).history).toBeNull();
  });

  it("names the run whose memory a node of the program has opened, over the program", async () => {
    const [nodeId, team] = [randomUUID(), randomUUID()];
    const node = new MemoryNode({ store, nodeId, mounts: { "/team": { nodeId: team } } });
    const config = { configurable: { run_id: "r" }, metadata: { langgraph_node: "summarize" } };
    const memory = await node.memoryForRun({ config, userId: "ada" });
    await memory.with({ actor: { userId: "eve", client: "program" } }).append("/a", "text");
    await memory.append("/team/a", "text");
    const ofRun = { userId: "ada", runId: "r", node: "summarize" };
    const actors = async (id: string) =>
      (await readAll(getHistory(store.memory({ nodeId: id })).list())).map(({ actor }) => actor);
    expect(await actors(nodeId)).toEqual([{ ...ofRun, client: "program" }]);
    expect(await actors(team)).toEqual([ofRun]);
  });
});
