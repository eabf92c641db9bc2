import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "@jest/globals";
import { type CommandStartedEvent, MongoClient } from "mongodb";
import { openDirectoryMemory } from "../../../src/backends/directory/index.js";
import { type Memory, MongoMemoryStore, MemoryNode } from "../../../src/index.js";
import { createNamespace } from "../../helpers/addresses.js";
import { freshAddress, refuses } from "../../helpers/memory-case.js";
import { compiled } from "../../helpers/compiled-sources.js";
import type { ServerKind } from "../../helpers/mongo-servers.js";
import { privateMongod, testDatabase } from "../../helpers/test-database.js";
import { folderWith, testFolder } from "../../helpers/test-folder.js";
import { until, untilAnswers } from "../../helpers/until-answers.js";
import { useClient } from "../../helpers/use-client.js";

/** No look that waits for it comes within a test. */
const never = 3_600_000;

const folder = testFolder();

const kinds: ServerKind[] = ["standalone", "replicaSet"];

/** Collects what a watch tells, until it ends. */
function collected(changes: ReturnType<Memory["watch"]>): { paths: string[]; end: Promise<void> } {
  const paths: string[] = [];
  const collect = async (): Promise<void> => {
    for await (const { operation, kind, path } of changes) if (kind === "file") paths.push(`${operation} ${path}`);
  };
  const end = collect();
  // A test that fails before it awaits this must not end the process.
  end.catch(() => undefined);
  return { paths, end };
}

/** The memory of another client, as another process has it. */
function openMemory(uri: string, dbName: string, address: { nodeId: string }): { memory: Memory; client: MongoClient } {
  const client = useClient(new MongoClient(uri, { monitorCommands: true }));
  return { memory: new MongoMemoryStore({ client, dbName }).memory(address), client };
}

/** By name; a change stream that is opened is a `stream`, not an `aggregate`. */
function countCommands(client: MongoClient): Record<string, number> {
  const counts: Record<string, number> = {};
  client.on("commandStarted", ({ commandName, command }: CommandStartedEvent) => {
    const [first] = (command["pipeline"] ?? []) as object[];
    const name = first !== undefined && "$changeStream" in first ? "stream" : commandName;
    counts[name] = (counts[name] ?? 0) + 1;
  });
  return counts;
}

describe("a watch on a replica set", () => {
  it("is told by the server of what others change, from the first write of the memory on", async () => {
    const { uri, name } = testDatabase();
    const address = freshAddress();
    const { memory } = openMemory(uri, name, address);
    const { memory: other } = openMemory(uri, name, address);
    const changes = memory.watch({ pollIntervalMs: never });
    await changes.ready;
    const { paths, end } = collected(changes);
    await other.write("/a", "1");
    await until(() => paths.length === 1);
    await other.append("/a", "2");
    await until(() => paths.length === 2);
    await other.delete("/a");
    await until(() => paths.length === 3);
    await changes.return();
    await end;
    expect(paths).toEqual(["created /a", "modified /a", "deleted /a"]);
  });

  it("goes on when the memory is forgotten and made again", async () => {
    const { client, uri, name } = testDatabase();
    const address = freshAddress();
    const store = new MongoMemoryStore({ client, dbName: name });
    const { memory } = openMemory(uri, name, address);
    await store.memory(address).write("/a", "1");
    const changes = memory.watch({ pollIntervalMs: never });
    await changes.ready;
    const { paths, end } = collected(changes);
    await store.forget(address);
    await until(() => paths.length === 1);
    await store.memory(address).write("/a", "1");
    await until(() => paths.length === 2);
    await store.memory(address).write("/b", "1");
    await until(() => paths.length === 3);
    await changes.return();
    await end;
    expect(paths).toEqual(["deleted /a", "created /a", "created /b"]);
  });

  it("leaves half of the connections of its client to all else", async () => {
    const { uri, name } = testDatabase();
    const client = useClient(new MongoClient(uri, { monitorCommands: true, maxPoolSize: 4 }));
    const store = new MongoMemoryStore({ client, dbName: name });
    const counts = countCommands(client);
    const addresses = Array.from({ length: 4 }, freshAddress);
    const others = addresses.map((address) => openMemory(uri, name, address).memory);
    // The first write of a memory opens a stream anew.
    await Promise.all(others.map((other) => other.write("/before", "x")));
    const watches = addresses.map((address) => store.memory(address).watch({ pollIntervalMs: 20 }));
    await Promise.all(watches.map(({ ready }) => ready));
    const told = watches.map(collected);
    await until(() => counts["stream"] === 2);
    await Promise.all(others.map((other) => other.write("/a", "x")));
    await until(() => told.every(({ paths }) => paths.length === 1));
    expect(counts["stream"]).toBe(2);
    await Promise.all(watches.map((changes) => changes.return()));
    await Promise.all(told.map(({ end }) => end));
    // Their places are free again.
    const later = store.memory(freshAddress()).watch({ pollIntervalMs: never });
    const waiting = later.next();
    await until(() => counts["stream"] === 3);
    await later.return();
    await waiting;
  });

  it("does not open one stream after another when the collection has been dropped", async () => {
    const { db, uri, name } = testDatabase();
    const { memory, client } = openMemory(uri, name, freshAddress());
    await memory.write("/a", "1");
    const counts = countCommands(client);
    const changes = memory.watch({ pollIntervalMs: never });
    await changes.ready;
    const { paths, end } = collected(changes);
    await until(() => counts["stream"] === 1);
    await db.collection("memories").drop();
    await until(() => paths.length === 1);
    await memory.write("/b", "1");
    await until(() => paths.length === 2);
    await changes.return();
    await end;
    expect(paths).toEqual(["deleted /a", "created /b"]);
    // The first stream, and that of the look that followed the write.
    expect(counts["stream"]).toBeLessThanOrEqual(2);
  });
});

describe("a watch on a replica set", () => {
  it("asks for nothing while only other memories and the history of its own change", async () => {
    const { client: otherClient, uri, name } = testDatabase();
    const others = new MongoMemoryStore({ client: otherClient, dbName: name, history: { keepVersions: 2 } });
    const address = freshAddress();
    await others.memory(address).write("/a", "1");
    const { memory, client } = openMemory(uri, name, address);
    const changes = memory.watch({ pollIntervalMs: never });
    await changes.ready;
    const { paths, end } = collected(changes);
    await others.memory(address).write("/b", "1");
    await until(() => paths.length === 1);
    const counts = countCommands(client);
    for (let index = 0; index < 20; index += 1) await others.memory({ nodeId: "other" }).append("/log", String(index));
    for await (const _version of others.memory(address).history?.list() ?? []) continue;
    await others.memory(address).write("/c", "1");
    await until(() => paths.length === 2);
    // The version and the texts of the one change, and once more if its event comes while they are read.
    expect(counts["find"]).toBeLessThanOrEqual(4);
    expect([counts["aggregate"], counts["stream"]]).toEqual([undefined, undefined]);
    await changes.return();
    await end;
  });
});

describe("a watch where MongoDB tells nothing", () => {
  it("asks for the version alone while nothing changes", async () => {
    const { uri, name } = testDatabase("standalone");
    const { memory, client } = openMemory(uri, name, freshAddress());
    await memory.write("/a", "1");
    const changes = memory.watch({ pollIntervalMs: 5 });
    await changes.ready;
    const waiting = changes.next();
    const found: unknown[] = [];
    client.on("commandStarted", ({ commandName, command }) => found.push([commandName, command["projection"]]));
    await until(() => found.length > 20);
    // The first asks whether this server tells of changes.
    const version = { key: 1, hi: 1, revision: 1, updatedAt: 1 };
    expect(new Set(found.slice(1).map((each) => JSON.stringify(each)))).toEqual(
      new Set([JSON.stringify(["find", version])]),
    );
    await changes.return();
    expect((await waiting).done).toBe(true);
  });

  it("knows at once of what its own process changes", async () => {
    const { uri, name } = testDatabase("standalone");
    const { memory } = openMemory(uri, name, freshAddress());
    const changes = memory.watch({ pollIntervalMs: never });
    await changes.ready;
    const { paths, end } = collected(changes);
    await memory.with({ actor: { userId: "u" } }).write("/a", "1");
    await until(() => paths.length === 1);
    await changes.return();
    await end;
  });

  it("knows at once of what the store of its own process puts and deletes", async () => {
    const { client, name } = testDatabase("standalone");
    const store = new MongoMemoryStore({ client, dbName: name });
    const memory = store.memory(freshAddress());
    const namespace = createNamespace(memory.address);
    await memory.write("/d/a", "1");
    const changes = memory.watch({ pollIntervalMs: never });
    await changes.ready;
    const seen: string[] = [];
    const end = (async (): Promise<void> => {
      for await (const { operation, kind, path } of changes) seen.push(`${operation} ${kind} ${path}`);
    })();
    await store.put(namespace, "/b", { content: "2" });
    await until(() => seen.length === 1);
    await store.delete(namespace, "/d/a");
    await until(() => seen.length === 2);
    await store.delete(namespace, "/d/");
    await until(() => seen.length === 3);
    expect(seen).toEqual(["created file /b", "deleted file /d/a", "deleted dir /d"]);
    await changes.return();
    await end;
  });
});

describe.each(kinds)("a watch on a %s", (kind) => {
  it("misses nothing and tells nothing twice across a mongod that is killed and started again", async () => {
    const mongod = await privateMongod(kind);
    const address = freshAddress();
    const { memory } = openMemory(mongod.uri, "watched", address);
    const { memory: other } = openMemory(mongod.uri, "watched", address);
    await untilAnswers(other);
    await other.write("/before", "x");
    const changes = memory.watch({ pollIntervalMs: 20 });
    await changes.ready;
    const { paths, end } = collected(changes);
    await other.write("/1", "x");
    await until(() => paths.length === 1);
    await Promise.all([other.write("/2", "x"), other.append("/before", "y")]);
    await mongod.kill();
    await mongod.restart();
    await untilAnswers(other);
    for (let index = 3; index < 10; index += 1) await other.write(`/${index}`, "x");
    await until(() => paths.includes("created /9"));
    await changes.return();
    await end;
    const expected = ["modified /before", ...Array.from({ length: 9 }, (_, index) => `created /${index + 1}`)];
    expect(paths.toSorted()).toEqual(expected.toSorted());
  });

  it("tells of every file that another process writes, once", async () => {
    const { uri, name } = testDatabase(kind);
    const { nodeId } = freshAddress();
    const { memory } = openMemory(uri, name, { nodeId });
    const changes = memory.watch({ pollIntervalMs: 20 });
    await changes.ready;
    const { paths, end } = collected(changes);
    await promisify(execFile)(process.execPath, [
      compiled("__tests__/helpers/append-worker.ts"),
      uri,
      name,
      nodeId,
      "w",
      "20",
    ]);
    await memory.write("/last", "x");
    await until(() => paths.includes("created /last"));
    await changes.return();
    await end;
    expect(paths.filter((told) => told !== "modified /log")).toEqual(["created /log", "created /last"]);
  });

  it("ends with EIO when its store is closed", async () => {
    const { uri, name } = testDatabase(kind);
    const { memory, client } = openMemory(uri, name, freshAddress());
    const changes = memory.watch({ pollIntervalMs: 5 });
    await changes.ready;
    const waiting = changes.next();
    await Promise.all([expect(waiting).rejects.toMatchObject({ code: "EIO" }), client.close()]);
  });

  it("reads nothing while its consumer is busy, and then tells all that has changed", async () => {
    const { uri, name } = testDatabase(kind);
    const address = freshAddress();
    const { memory, client } = openMemory(uri, name, address);
    const { memory: other } = openMemory(uri, name, address);
    const changes = memory.watch({ pollIntervalMs: 5 });
    await changes.ready;
    const first = changes.next();
    await other.write("/a", "0");
    await first;
    const counts = countCommands(client);
    for (let index = 0; index < 50; index += 1) await other.append("/a", String(index));
    await other.write("/b", "x");
    expect(counts["find"]).toBeUndefined();
    expect((await changes.next()).value).toEqual({ operation: "modified", kind: "file", path: "/a" });
    expect((await changes.next()).value).toEqual({ operation: "created", kind: "file", path: "/b" });
    await changes.return();
  });
});

describe("a watch", () => {
  it("whose storage fails at the first look rejects with the reason", async () => {
    const { memory } = openMemory("mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=100", "none", freshAddress());
    const changes = memory.watch();
    await expect(changes.ready).rejects.toMatchObject({ code: "EIO" });
    await expect(changes.next()).rejects.toMatchObject({ code: "EIO" });
    expect(await changes.next()).toEqual({ done: true, value: undefined });
  });

  it("tells of a proposed change when a person has approved it", async () => {
    const { client, name } = testDatabase();
    const store = new MongoMemoryStore({ client, dbName: name });
    const address = freshAddress();
    const memory = store.memory(address);
    const node = new MemoryNode({
      store,
      nodeId: address.nodeId,
      rules: [{ path: "/**", access: "ask" }],
      onAsk: "propose",
    });
    const changes = memory.watch({ pollIntervalMs: never });
    await changes.ready;
    const { paths, end } = collected(changes);
    await refuses(node.memory().write("/asked", "x"), "EACCES");
    await memory.write("/free", "x");
    await until(() => paths.length === 1);
    for await (const { id } of memory.proposals?.list() ?? [])
      await memory.proposals?.approve(id, { by: { userId: "boss" } });
    await until(() => paths.length === 2);
    await changes.return();
    await end;
    expect(paths).toEqual(["created /free", "created /asked"]);
  });

  it("on a folder tells of what a hand and another process change", async () => {
    const dir = folderWith(folder);
    const memory = openDirectoryMemory({ dir });
    const changes = memory.watch({ pollIntervalMs: 10 });
    await changes.ready;
    const { paths, end } = collected(changes);
    writeFileSync(join(dir, "note.md"), "one");
    await until(() => paths.length === 1);
    writeFileSync(join(dir, "note.md"), "two");
    await until(() => paths.length === 2);
    await promisify(execFile)(process.execPath, [
      compiled("__tests__/helpers/folder-worker.ts"),
      dir,
      "append",
      "w",
      "1",
    ]);
    await until(() => paths.length === 3);
    await changes.return();
    await end;
    expect(paths).toEqual(["created /note.md", "modified /note.md", "created /log"]);
  });
});
