import { describe, expect, it } from "@jest/globals";
import { mountMemories, MemoryNode, MongoMemoryStore } from "../../../src/index.js";
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
    for (let round = 0; round < repetitions({ usual: 15, long: 200 }); round += 1) {
      await free.write("/shared/other/file", "x");
      await Promise.allSettled([ruled.delete("/shared"), ruled.append("/shared/kept/file", String(round))]);
      expect(await free.read("/shared/kept/file")).toBe(String(round));
      await free.delete("/shared");
    }
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
