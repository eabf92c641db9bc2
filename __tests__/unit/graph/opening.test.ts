import { afterEach, describe, expect, it, jest } from "@jest/globals";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { MongoClient } from "mongodb";
import { type MemoryRun, MemoryNode, MongoMemoryStore } from "../../../src/index.js";
import { openMemoryForRun } from "../../../src/langchain/memory-source.js";
import { refuses } from "../../helpers/memory-case.js";

afterEach(() => {
  jest.restoreAllMocks();
});

const runOf = (userId: unknown, config = {}): MemoryRun => ({ config, userId: userId as string });

describe("a MemoryNode", () => {
  it("opens each memory once, for runs and programs, and for each user by itself", async () => {
    const store = new MongoMemoryStore({ client: new MongoClient("mongodb://localhost:1") });
    const open = jest.spyOn(store, "memory");
    const node = new MemoryNode({ store, nodeId: "own", scope: "perUser", mounts: { "/team": { nodeId: "team" } } });
    for (const user of ["ann", "bob", "ann", "bob"]) await node.memoryForRun(runOf(user));
    node.memory("ann");
    expect(open.mock.calls.map(([address]) => address)).toEqual([
      { nodeId: "own", scope: "perUser", userId: "ann" },
      { nodeId: "team", scope: "global" },
      { nodeId: "own", scope: "perUser", userId: "bob" },
    ]);
  });

  it("opens the memory in the store of each run", async () => {
    const node = new MemoryNode({ nodeId: "own" });
    const [one, other] = [new InMemoryStore(), new InMemoryStore()];
    const memoryIn = (store: InMemoryStore) => node.memoryForRun({ config: { store } as object });
    await (await memoryIn(one)).write("/a", "one");
    await (await memoryIn(other)).write("/a", "other");
    expect([await (await memoryIn(one)).read("/a"), await (await memoryIn(other)).read("/a")]).toEqual([
      "one",
      "other",
    ]);
  });

  it("opens no memory of another user for a value that only looks like the id", async () => {
    const node = new MemoryNode({ store: new InMemoryStore(), nodeId: "own", scope: "perUser" });
    await (await node.memoryForRun(runOf("ann"))).write("/secret", "x");
    const lookAlikes = [["ann"], { toJSON: () => "ann" }, { toString: () => "ann" }, Object("ann"), 1n];
    for (const id of lookAlikes) await refuses(node.memoryForRun(runOf(id)), "EINVAL");
    for (const id of ['ann"', "ann ", "ANN", '"]', "ann\\"])
      expect((await (await node.memoryForRun(runOf(id))).snapshot()).files).toEqual([]);
  });

  it("asks its function for the user once for a message, also where it finds nobody", async () => {
    const userId = jest.fn(() => "");
    const node = new MemoryNode({ store: new InMemoryStore(), nodeId: "own", scope: "perUser", userId });
    await node.globalMemory().write("/shared", "x");
    const [message] = await node.createConnector({ onError: () => undefined }).inject([], { configurable: {} });
    expect(message?.text).toContain("\n/shared (1 byte)\n");
    expect(userId).toHaveBeenCalledTimes(1);
  });

  it.each([{}, { mounts: { "/team": { nodeId: "team" } } }])(
    "copies a memory once for a run, through however many doors it comes: %j",
    async (options) => {
      const node = new MemoryNode({ store: new InMemoryStore(), nodeId: "own", ...options });
      const run: MemoryRun = { config: {} };
      const memory = await node.memoryForRun(run);
      expect(await openMemoryForRun(() => memory, run)).toBe(memory);
      expect(await openMemoryForRun(() => memory, { config: {} })).not.toBe(memory);
    },
  );

  it("binds a memory to one run only: the end of a run ends its own calls", async () => {
    const node = new MemoryNode({
      store: new InMemoryStore(),
      nodeId: "own",
      mounts: { "/team": { nodeId: "team" } },
    });
    const stopped = AbortSignal.abort(new Error("stopped"));
    const memory = await node.memoryForRun({ config: { signal: stopped } });
    for (const path of ["/a", "/team/a"]) await expect(memory.append(path, "x")).rejects.toThrow("stopped");
    const next = await node.memoryForRun({ config: {} });
    for (const path of ["/a", "/team/a"]) await next.append(path, "x");
    expect((await node.memory().snapshot()).files.map(({ path }) => path)).toEqual(["/a", "/team/a"]);
  });
});
