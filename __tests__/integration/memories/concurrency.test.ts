import { describe, expect, it } from "@jest/globals";
import { type MemoryError, mountMemories, MemoryNode, MongoMemoryStore } from "../../../src/index.js";
import { freshAddress, refuses } from "../../helpers/memory-case.js";
import { type NextCommand, SlowClient } from "../../helpers/before-commands.js";
import type { ServerKind } from "../../helpers/mongo-servers.js";
import { isLong, repetitions } from "../../helpers/repetitions.js";
import { testDatabase } from "../../helpers/test-database.js";

const kinds: ServerKind[] = isLong ? ["standalone", "replicaSet"] : ["standalone"];

describe.each(kinds)("on a %s", (kind) => {
  const { client, name } = testDatabase(kind);
  const store = new MongoMemoryStore({ client, dbName: name });

  // docs/comparison.md quotes this run.
  it.each(["append", "edit"] as const)("50 writers of one file lose none of 500 edits by %s", async (verb) => {
    const memory = store.memory(freshAddress());
    await memory.write("/notes", "start");
    const write = async (writer: number): Promise<void> => {
      for (let index = 0; index < 10; index += 1) {
        const line = `writer ${writer} line ${index}`;
        if (verb === "append") await memory.append("/notes", line);
        else await memory.edit("/notes", (text) => `${text}\n${line}`);
      }
    };
    await Promise.all(Array.from({ length: 50 }, (_, writer) => write(writer)));
    const [, ...lines] = (await memory.read("/notes")).split("\n");
    expect(new Set(lines).size).toBe(500);
    expect(lines).toHaveLength(500);
  });

  it("a directory delete racing creations of what a rule keeps never takes one of them", async () => {
    const address = freshAddress();
    const free = store.memory(address);
    const ruled = new MemoryNode({
      store,
      ...address,
      rules: [{ path: "/shared/kept/**", access: "append" }],
    }).memory();
    for (let round = 0; round < repetitions({ usual: 15, long: 1_000 }); round += 1) {
      await free.write("/shared/other/file", "x");
      await Promise.allSettled([ruled.delete("/shared"), ruled.append("/shared/kept/file", String(round))]);
      expect(await free.read("/shared/kept/file")).toBe(String(round));
      await free.delete("/shared");
    }
  });

  it("nodes with other rules beside running writers store nothing against the rules that each call began with", async () => {
    const address = freshAddress();
    const open = new MemoryNode({ store, ...address });
    const closed = new MemoryNode({ store, ...address, rules: [{ path: "/house/**", access: "read" }] });
    let node = open;
    const write = async (writer: number): Promise<string[]> => {
      const stored: string[] = [];
      for (let index = 0; index < 30; index += 1) {
        const path = `/house/${writer} ${index}`;
        const isClosed = node === closed;
        const outcome = await node
          .memory()
          .write(path, "x")
          .then(
            () => "ok",
            (error: unknown) => (error as MemoryError).code,
          );
        expect(outcome).toBe(isClosed ? "EACCES" : "ok");
        if (!isClosed) stored.push(path);
        if (index % 7 === writer) node = node === open ? closed : open;
      }
      return stored;
    };
    const stored = (await Promise.all([0, 1, 2, 3].map(write))).flat();
    expect((await store.memory(address).snapshot()).files.map(({ path }) => path)).toEqual(stored.toSorted());
  });

  it("a mount exchanged beside running writers takes nothing that neither the old nor the new one allows", async () => {
    const { nodeId } = freshAddress();
    const mounts = [
      {
        "/team": { nodeId: `${nodeId} one`, access: "append" },
        "/rules": { nodeId: `${nodeId} rules`, access: "read" },
      },
      { "/team": { nodeId: `${nodeId} two` }, "/rules": { nodeId: `${nodeId} one`, access: "read" } },
    ] as const;
    const nodes = mounts.map((each) => new MemoryNode({ store, nodeId, mounts: each }));
    const stored: string[][] = [[], []];
    let current = 0;
    const write = async (writer: number): Promise<void> => {
      for (let index = 0; index < 30; index += 1) {
        const begun = current;
        const memory = nodes[begun]?.memory();
        const line = `${writer} ${index}`;
        await memory?.append("/team/log", line);
        stored[begun]?.push(line);
        for (const path of [`/rules/${line}`, "/rules/log"])
          await expect(memory?.append(path, "refused")).rejects.toMatchObject({ code: "EACCES" });
        const replaced = await memory?.write("/team/whole", line).then(
          () => "ok",
          (error: unknown) => (error as MemoryError).code,
        );
        expect(replaced).toBe(begun === 0 ? "EACCES" : "ok");
        if (index % 7 === writer) current = 1 - current;
      }
    };
    await Promise.all([0, 1, 2, 3].map(write));
    const getSnapshot = async (which: string) => (await store.memory({ nodeId: `${nodeId}${which}` }).snapshot()).files;
    const [one, two] = await Promise.all([" one", " two"].map(getSnapshot));
    expect(one?.map(({ path, content }) => [path, content.split("\n").toSorted()])).toEqual([
      ["/log", stored[0]?.toSorted()],
    ]);
    expect(two?.map(({ path }) => path)).toEqual(["/log", "/whole"]);
    expect(two?.[0]?.content.split("\n").toSorted()).toEqual(stored[1]?.toSorted());
    expect([await getSnapshot(""), await getSnapshot(" rules")]).toEqual([[], []]);
  });

  it("eight writers lose no change through two trees that share a memory", async () => {
    const [shared, ...roots] = [freshAddress(), freshAddress(), freshAddress()];
    const stores = [store, new MongoMemoryStore({ client, dbName: name })];
    const trees = stores.map((each, index) =>
      mountMemories({
        "/": each.memory(roots[index] ?? shared),
        [index === 0 ? "/shared" : "/far/shared"]: each.memory(shared),
      }),
    );
    const folder = ["/shared", "/far/shared"];
    await store.memory(shared).write("/edited", "");
    const write = async (writer: number): Promise<void> => {
      const [tree, at] = [trees[writer % 2], folder[writer % 2]];
      for (let index = 0; index < 12; index += 1) {
        await tree?.append(`${at}/log`, `${writer} ${index}`);
        await tree?.edit(`${at}/edited`, (text) => `${text}${writer} ${index};`);
        await tree?.write(`${at}/own ${writer}/${index}`, "x");
        await tree?.rename(`${at}/own ${writer}/${index}`, `${at}/moved/${writer} ${index}`);
      }
    };
    await Promise.all(Array.from({ length: 8 }, (_, writer) => write(writer)));
    const expected = Array.from({ length: 96 }, (_, index) => `${Math.floor(index / 12)} ${index % 12}`).toSorted();
    const memory = store.memory(shared);
    expect((await memory.read("/log")).split("\n").toSorted()).toEqual(expected);
    expect((await memory.read("/edited")).split(";").slice(0, -1).toSorted()).toEqual(expected);
    expect((await memory.list("/moved")).map((entry) => entry.name)).toEqual(expected);
  });
});

it("an edit that keeps losing its race is ECONFLICT and changes nothing", async () => {
  const { client, name } = testDatabase("standalone");
  const store = new MongoMemoryStore({ client, dbName: name });
  const address = freshAddress();
  const rival = store.memory(address);
  await rival.write("/file", "");
  let rivals = 0;
  const slow = new SlowClient(client);
  const memory = new MongoMemoryStore({ client: slow.client, dbName: name }).memory(address);
  const beforeUpdate = async ({ method }: NextCommand): Promise<void> => {
    if (method !== "updateOne") return;
    rivals += 1;
    await rival.append("/file", String(rivals));
  };
  await refuses(
    slow.run(beforeUpdate, () => memory.edit("/file", () => "mine")),
    "ECONFLICT",
  );
  expect(rivals).toBe(100);
  expect((await rival.read("/file")).split("\n")).toEqual(
    Array.from({ length: rivals }, (_, index) => String(index + 1)),
  );
});
