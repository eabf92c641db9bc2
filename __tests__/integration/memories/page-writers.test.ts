import { describe, expect, it } from "@jest/globals";
import { type Memory, type MemoryAddress, MongoMemoryStore, type MongoMemoryStoreOptions } from "../../../src/index.js";
import { freshAddress } from "../../helpers/memory-case.js";
import { withPageBytes } from "../../helpers/page-sizes.js";
import { repetitions } from "../../helpers/repetitions.js";
import { findPageFaults, readStoredPages } from "../../helpers/stored-pages.js";
import { testDatabase } from "../../helpers/test-database.js";

const { client, name: dbName, db } = testDatabase("replicaSet");
const rounds = repetitions({ usual: 1, long: 5 });

/** As two processes: each store knows other pages. */
const openStores = (options: Partial<MongoMemoryStoreOptions>): [MongoMemoryStore, MongoMemoryStore] => [
  new MongoMemoryStore({ client, dbName, ...options }),
  new MongoMemoryStore({ client, dbName, ...options }),
];

async function expectSound(address: MemoryAddress, collection = "memories"): Promise<void> {
  expect(findPageFaults(await readStoredPages(db.collection(collection), address))).toEqual([]);
}

async function readLines(memory: Memory): Promise<string[]> {
  return (await memory.snapshot()).files.flatMap(({ content }) => content.split("\n"));
}

describe.each([200, undefined])("many writers of two processes, with pages of %s bytes", (pageBytes) => {
  const stores = openStores(withPageBytes(pageBytes));

  it("lose no line that they were told of after a forget, and keep none from before it", async () => {
    for (let round = 0; round < rounds; round += 1) {
      const address = freshAddress();
      /** How many forgets have begun and ended when a line was begun, and when it was made. */
      const made = new Map<string, { endedBefore: number; begunAfter: number }>();
      let [begun, ended] = [0, 0];
      let isDone = false;
      const write = async (writer: number): Promise<void> => {
        const memory = stores[writer % 2 === 0 ? 0 : 1].memory(address);
        for (let index = 0; !isDone; index += 1) {
          const line = `line ${writer} ${index}`;
          const endedBefore = ended;
          await memory.append(`/d${index % 5}/f${(writer + index) % 7}`, line);
          made.set(line, { endedBefore, begunAfter: begun });
        }
      };
      const forget = async (): Promise<void> => {
        for (let time = 0; time < 4; time += 1) {
          const wanted = made.size + repetitions({ usual: 15, long: 30 });
          while (made.size < wanted) await new Promise(setImmediate);
          begun += 1;
          await stores[time % 2 === 0 ? 0 : 1].forget(address);
          ended += 1;
        }
        const wanted = made.size + 30;
        while (made.size < wanted) await new Promise(setImmediate);
        isDone = true;
      };
      await Promise.all([forget(), ...Array.from({ length: 8 }, (_, writer) => write(writer))]);
      const lines = await readLines(stores[0].memory(address));
      expect(new Set(lines).size).toBe(lines.length);
      const afterAll = [...made].filter(([, { endedBefore }]) => endedBefore === 4).map(([line]) => line);
      const beforeLast = [...made].filter(([, { begunAfter }]) => begunAfter < 4).map(([line]) => line);
      expect(afterAll.filter((line) => !lines.includes(line))).toEqual([]);
      expect(beforeLast.filter((line) => lines.includes(line))).toEqual([]);
      await expectSound(address);
    }
  });
});

describe.each([false, true])("a memory of several pages that expires again and again, history: %s", (history) => {
  const lifeMs = 1_000;

  it("is whole or new after each change of two processes, beside a sweep", async () => {
    // MongoDB itself deletes what has expired by its own clock.
    let now = Date.UTC(2100, 0);
    const memoriesCollection = `again_${history}`;
    const options = { clock: () => new Date(now), expireMs: { perUser: lifeMs }, history, memoriesCollection };
    const stores = openStores({ ...withPageBytes(400), ...options });
    const address = { ...freshAddress(), scope: "perUser", userId: "ada" } as const;
    let isDone = false;
    const sweep = async (): Promise<void> => {
      while (!isDone) await stores[1].sweepExpired();
    };
    const write = async (): Promise<void> => {
      const expected = new Map<string, string[]>();
      for (let index = 0; index < repetitions({ usual: 30, long: 300 }); index += 1) {
        // A change in a page other than the head is noted in the head within a sixteenth of the life.
        const pass = [0, 0.02, 0.25, 0.9, 1, 1.1][Math.floor(Math.random() * 6)] ?? 0;
        now += lifeMs * pass;
        if (pass >= 1) expected.clear();
        const [path, line] = [`/d${index % 3}/f${index % 5}`, `line ${index} ${"x".repeat(30)}`];
        await stores[Math.floor(Math.random() * 2) as 0 | 1].memory(address).append(path, line);
        expected.set(path, [...(expected.get(path) ?? []), line]);
        for (const store of stores) {
          const { files } = await store.memory(address).snapshot();
          expect([index, pass, new Map(files.map((file) => [file.path, file.content.split("\n")]))]).toEqual([
            index,
            pass,
            expected,
          ]);
        }
        await expectSound(address, memoriesCollection);
      }
    };
    await Promise.all([sweep(), write().finally(() => (isDone = true))]);
  });
});
