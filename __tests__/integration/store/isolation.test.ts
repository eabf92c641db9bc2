import { beforeAll, describe, expect, it } from "@jest/globals";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { type MemoryAddress, type Memory, openMemory, MongoMemoryStore } from "../../../src/index.js";
import { hostileLabels, hostileNames } from "../../helpers/hostile-names.js";
import { isLong, repetitions } from "../../helpers/repetitions.js";
import { testDatabase } from "../../helpers/test-database.js";

const { client, name: dbName, db } = testDatabase("standalone");
const store = new MongoMemoryStore({ client, dbName });

/** Each place lies beside all others, so an operation on each of n of them tries n * (n - 1) pairs. */
const leastPairs = repetitions({ usual: 10_000, long: 100_000 });
/** In the usual run every third one of the hostile names stands for its neighbours. */
const ids = hostileNames.filter((_, index) => isLong || index % 3 === 0);
const labels = hostileLabels.filter((_, index) => isLong || index % 3 === 0);
/** So many are changed before each look at all of them. */
const together = repetitions({ usual: 1_000, long: 1 });
const countPairs = (count: number): number => (count * (count - 1)) / 2;

interface Place {
  namespace: string[];
  key: string;
}

const getName = ({ namespace, key }: Place): string => JSON.stringify([namespace, key]);

/** The same labels and keys cut, joined and moved across every border. */
function itemPlaces(): Place[] {
  const places = labels.flatMap((label, index): Place[] => {
    const name = ids[index] ?? "";
    return [
      { namespace: [label], key: name },
      { namespace: [label], key: "k" },
      { namespace: ["a", label], key: "k" },
      { namespace: [label, "b"], key: "k" },
      { namespace: ["a"], key: `${label}\0k` },
    ];
  });
  const separators = ["\0", "\0\0", "/", "|", "\u0001", "\u001F", ",", "\u{10FFFF}"];
  const moved = separators.flatMap((mark): Place[] => [
    { namespace: ["x"], key: `y${mark}z` },
    { namespace: ["x", "y"], key: `${mark}z` },
    { namespace: ["x", "y"], key: `z${mark}` },
    ...(mark.includes("\0")
      ? []
      : [
          { namespace: [`x${mark}y`], key: "z" },
          { namespace: ["x", `y${mark}z`], key: "" },
        ]),
  ]);
  return distinct([
    ...places,
    ...moved,
    { namespace: ["x", "y"], key: "z" },
    { namespace: ["x", "y", "z"], key: "" },
    { namespace: ["x"], key: "y" },
  ]);
}

function splitIntoGroups<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
    all.slice(index * size, (index + 1) * size),
  );
}

function distinct(places: Place[]): Place[] {
  return [...new Map(places.map((place) => [getName(place), place])).values()];
}

/** Every place that has an item, with its mark. */
async function marks(places: readonly Place[]): Promise<Map<string, unknown>> {
  const items = await store.batch(places.map(({ namespace, key }) => ({ namespace, key })));
  const found = items.flatMap((item) => (item === null ? [] : [[getName(item), item.value["mark"]] as const]));
  return new Map(found);
}

describe("items at hostile places", () => {
  const places = itemPlaces();
  const expected = new Map<string, unknown>(places.map((place, index) => [getName(place), index]));

  beforeAll(async () => {
    await store.batch(places.map((place, index) => ({ ...place, value: { mark: index } })));
  });

  it("are read each from its own", async () => {
    expect(countPairs(places.length)).toBeGreaterThan(leastPairs);
    expect(await marks(places)).toEqual(expected);
    expect(await db.collection("items").countDocuments()).toBe(places.length);
  });

  it("are listed at their own prefixes only", async () => {
    const prefixes = distinct(
      places.flatMap(({ namespace }) =>
        namespace.map((_, index) => ({ namespace: namespace.slice(0, index + 1), key: "" })),
      ),
    );
    for (const { namespace: prefix } of prefixes) {
      const within = places.filter(({ namespace }) => prefix.every((label, index) => label === namespace[index]));
      const found = await store.search(prefix, { limit: 1000 });
      expect(found.map(getName).toSorted()).toEqual(within.map(getName).toSorted());
      const namespaces = await store.listNamespaces({ prefix, limit: 1000 });
      // A star is any label to a listing, by its contract.
      if (!prefix.includes("*")) {
        expect(new Set(namespaces.map((one) => JSON.stringify(one)))).toEqual(
          new Set(within.map(({ namespace }) => JSON.stringify(namespace))),
        );
      }
    }
  });

  it("are changed and deleted each alone", async () => {
    const left = new Map(expected);
    for (const group of splitIntoGroups(places, together)) {
      for (const place of group) {
        await store.put(place.namespace, place.key, { mark: "changed" });
        left.set(getName(place), "changed");
      }
      expect(same(await marks(places), left)).toBe(true);
      for (const place of group) {
        await store.delete(place.namespace, place.key);
        left.delete(getName(place));
      }
      expect(same(await marks(places), left)).toBe(true);
    }
    expect(await db.collection("items").countDocuments()).toBe(0);
  });
});

describe("memories at hostile ids", () => {
  const legal = ids.filter((name) => isLegal({ nodeId: name }));
  const addresses = legal.flatMap((id, index): MemoryAddress[] => {
    const other = legal[(index * 7 + 1) % legal.length] ?? "";
    return [
      { nodeId: id },
      { nodeId: "a", scope: "perThread", threadId: id },
      { nodeId: id, scope: "perThread", threadId: "a" },
      { nodeId: id, scope: "perThread", threadId: other },
      { nodeId: `${id}a` },
      { nodeId: `a/${id}` },
      { nodeId: `${id}/global`, scope: "perThread", threadId: other },
      { nodeId: "a", scope: "perUser", userId: id },
      { nodeId: id, scope: "perUser", userId: other },
      { nodeId: `${id}/global`, scope: "perUser", userId: other },
    ];
  });
  const memories = [...new Map(addresses.map((address) => [addressName(address), address])).values()];
  const open = (address: MemoryAddress): Memory => store.memory(address);

  /** As they lie in the database: reading them one by one after every change would take a minute. */
  async function texts(): Promise<Map<string, unknown>> {
    const documents = await db
      .collection("memories")
      .find({ "data.f": { $exists: true } })
      .toArray();
    return new Map(
      documents.map((document) => [
        addressName(document as unknown as MemoryAddress),
        (document["data"] as { f: string }).f,
      ]),
    );
  }

  it("are read each from its own", async () => {
    expect(countPairs(memories.length)).toBeGreaterThan(leastPairs);
    await Promise.all(memories.map((address, index) => open(address).write("/f", String(index))));
    const read = await Promise.all(memories.map((address) => open(address).read("/f")));
    expect(read).toEqual(memories.map((_, index) => String(index)));
    expect(await db.collection("memories").countDocuments()).toBe(memories.length);
  });

  it("show in the store once each, at the namespace of each", async () => {
    const items = await store.search(["memory"], { limit: 5000 });
    expect(items.map((item) => Number(item.value["content"])).toSorted((a, b) => a - b)).toEqual(
      memories.map((_, index) => index),
    );
    const namespaces = items.map((item) => JSON.stringify(item.namespace));
    expect(new Set(namespaces).size).toBe(memories.length);
    const again = await store.batch(items.map(({ namespace, key }) => ({ namespace, key })));
    expect(again.map((item) => item?.value)).toEqual(items.map((item) => item.value));
  });

  it("are told apart by their files in a generic store too", async () => {
    const generic = new InMemoryStore();
    await Promise.all(memories.map((address, index) => openMemory(generic, address).write("/f", String(index))));
    expect(await Promise.all(memories.map((address) => openMemory(generic, address).read("/f")))).toEqual(
      memories.map((_, index) => String(index)),
    );
    expect(await generic.search([], { limit: 5000 })).toHaveLength(memories.length);
    const [cleared, ...others] = memories;
    if (cleared !== undefined) await openMemory(generic, cleared).delete("/");
    expect(await Promise.all(others.map((address) => openMemory(generic, address).read("/f")))).toEqual(
      others.map((_, index) => String(index + 1)),
    );
  });

  it("are changed and deleted each alone", async () => {
    const left = await texts();
    for (const group of splitIntoGroups(memories, together)) {
      for (const address of group) {
        const name = addressName(address);
        await open(address).append("/f", "more");
        left.set(name, `${left.get(name) as string}\nmore`);
      }
      expect(same(await texts(), left)).toBe(true);
      for (const address of group) {
        await open(address).delete("/");
        left.delete(addressName(address));
      }
      expect(same(await texts(), left)).toBe(true);
    }
  });

  function isLegal(address: MemoryAddress): boolean {
    try {
      store.memory(address);
      return true;
    } catch {
      return false;
    }
  }
});

describe("items beside memories", () => {
  const roots = ["memory", "Memory", "memory ", "memоry", "memory\u200B", "memory\u0001", "memory/a", "a"];
  const nodes = ["a", "b", "a%2Eb", "a%2eb", "a%252Eb", "global", "perThread", "perUser", "memory", "*"];
  const scopes = ["global", "Global", "global ", "perThread", "perthread", "perUser", "memory"];
  const namespaces = roots.flatMap((root) => [
    [root],
    ...nodes.flatMap((node) => [
      [root, node],
      ...scopes.flatMap((scope) => [
        [root, node, scope],
        [root, node, scope, "a"],
        [root, node, scope, "a", "b"],
      ]),
    ]),
  ]);
  const places = namespaces.map((namespace) => ({ namespace, key: "/f" }));

  it("are kept apart by whole namespaces", async () => {
    expect(countPairs(places.length)).toBeGreaterThan(leastPairs);
    await store.batch(places.map((place, index) => ({ ...place, value: { content: String(index) } })));
    const contents = async (): Promise<unknown[]> => (await store.batch(places)).map((item) => item?.value["content"]);
    expect(await contents()).toEqual(places.map((_, index) => String(index)));
    const found = await store.search([], { limit: 10_000 });
    expect(found.map(getName).toSorted()).toEqual(places.map(getName).toSorted());
    for (const prefix of [
      ["memory"],
      ["memory", "a"],
      ["memory", "a", "global"],
      ["memory", "a", "perThread"],
      ["memory", "a", "perUser"],
      ["memory", "a%2Eb"],
      ["memory", "*"],
      ["Memory"],
    ]) {
      const within = places.filter(({ namespace }) => prefix.every((label, index) => label === namespace[index]));
      expect((await store.search(prefix, { limit: 1000 })).map(getName).toSorted()).toEqual(
        within.map(getName).toSorted(),
      );
    }
    const odd = places.filter((_, index) => index % 2 === 1);
    await store.batch(odd.map((place) => ({ ...place, value: null })));
    expect(await contents()).toEqual(places.map((_, index) => (index % 2 === 1 ? undefined : String(index))));
  });
});

function addressName(address: MemoryAddress): string {
  const { nodeId, scope = "global" } = address;
  const owner = "threadId" in address ? address.threadId : "userId" in address ? address.userId : null;
  return JSON.stringify([nodeId, scope, owner ?? null]);
}

/** Jest's comparison of large maps is slow enough to matter here. */
function same(a: ReadonlyMap<string, unknown>, b: ReadonlyMap<string, unknown>): boolean {
  return a.size === b.size && [...a].every(([name, mark]) => b.get(name) === mark);
}
