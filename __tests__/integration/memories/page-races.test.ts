import { describe, expect, it } from "@jest/globals";
import { type MemoryAddress, type Memory, MongoMemoryStore, type MongoMemoryStoreOptions } from "../../../src/index.js";
import { freshAddress, refuses } from "../../helpers/memory-case.js";
import { SlowClient } from "../../helpers/before-commands.js";
import { withPageBytes } from "../../helpers/page-sizes.js";
import { findStored } from "../../helpers/find-stored.js";
import { findPageFaults, readStoredPages } from "../../helpers/stored-pages.js";
import { testDatabase } from "../../helpers/test-database.js";

const { client, name: dbName, db } = testDatabase("replicaSet");
const pageBytes = 1_000;
const openStore = (options: Partial<MongoMemoryStoreOptions> = {}): MongoMemoryStore =>
  new MongoMemoryStore({ client, dbName, ...withPageBytes(pageBytes), ...options });

const slowClient = new SlowClient(client);
const slowStore = openStore({ client: slowClient.client });

const text = "x".repeat(100);
const names = Array.from({ length: 12 }, (_, index) => `/files/${String.fromCodePoint(97 + index)}`);
const memories = db.collection("memories");

/** Writes so much that the memory has several pages. */
async function fill(memory: Memory): Promise<void> {
  for (const name of names) await memory.write(name, text);
}

async function expectSound(address: MemoryAddress, leastPages = 0): Promise<void> {
  const pages = await readStoredPages(memories, address);
  expect(findPageFaults(pages)).toEqual([]);
  expect(pages.length).toBeGreaterThanOrEqual(leastPages);
}

/** Runs a test for each command of a call. @param run returns whether there was a command of this number */
async function atEachCommand(run: (number: number) => Promise<boolean>): Promise<void> {
  let number = 1;
  while (await run(number)) number += 1;
  expect(number).toBeGreaterThan(1);
}

describe("a process that knows old pages", () => {
  /** Two processes. The second knows the memory as it is at first. */
  async function openTwice(options?: Partial<MongoMemoryStoreOptions>) {
    const address = freshAddress();
    const [one, two] = [openStore(options).memory(address), openStore(options).memory(address)];
    return { address, one, two };
  }

  it("deletes a file that a split has moved to another page", async () => {
    const { address, one, two } = await openTwice();
    await one.write("/files/a", text);
    expect(await two.read("/files/a")).toBe(text);
    await fill(one);
    expect(await two.delete("/files/l")).toEqual({ files: 1, dirs: 0 });
    await one.delete("/files");
    await fill(one);
    expect(await two.delete("/files/k")).toEqual({ files: 1, dirs: 0 });
    expect((await one.list("/files")).map(({ name }) => `/files/${name}`)).toEqual(
      names.filter((name) => name !== "/files/k"),
    );
    await expectSound(address, 2);
  });

  it("appends to a file that a split has moved from a page that it knew", async () => {
    const { address, one, two } = await openTwice();
    await fill(one);
    expect(await two.list("/files")).toHaveLength(names.length);
    for (const name of names) await one.write(`${name}1`, text);
    for (const name of names) await two.append(`${name}1`, "more");
    for (const name of names) expect(await one.read(`${name}1`)).toBe(`${text}\nmore`);
    await expectSound(address, 2);
  });

  it("names each directory once in an outline, wherever the files were written", async () => {
    const { address, one, two } = await openTwice();
    await fill(one);
    await two.append("/files/l", "");
    await two.write("/files/m", "new");
    expect((await one.outline()).directories).toEqual(["/files"]);
    await expectSound(address, 2);
  });
});

describe("a first batch that needs several pages", () => {
  it("keeps what another process wrote at the same time", () =>
    atEachCommand(async (number) => {
      const { nodeId } = freshAddress();
      const rival = openStore().memory({ nodeId });
      const namespace = ["memory", nodeId, "global"];
      const wasMet = await slowClient.runBeside(
        number,
        () => rival.write("/rival", "kept"),
        () => slowStore.batch(names.map((key) => ({ namespace, key, value: { content: text } }))),
      );
      if ((await rival.stat("/rival")) === null) await rival.write("/rival", "kept");
      expect((await rival.snapshot()).files.map(({ path }) => path)).toEqual([...names, "/rival"]);
      expect(await rival.read("/rival")).toBe("kept");
      await expectSound({ nodeId });
      return wasMet;
    }));
});

describe("a forget that was interrupted", () => {
  /** As if the process had died after it had removed the pages and before it removed the head. */
  async function openInterrupted(options?: Partial<MongoMemoryStoreOptions>) {
    const address = freshAddress();
    const memory = openStore(options).memory(address);
    await fill(memory);
    const pages = await readStoredPages(memories, address);
    expect(pages.length).toBeGreaterThan(2);
    await memories.deleteMany({ _id: { $in: pages.slice(1).map(({ _id }) => _id) } } as object);
    return { address, memory, fresh: openStore(options).memory(address) };
  }

  it.each([false, true])("leaves ranges that read as empty, history: %s", async (history) => {
    const { memory, fresh } = await openInterrupted({ history });
    for (const reader of [memory, fresh]) {
      await refuses(reader.read("/files/l"), "ENOENT");
      expect((await reader.list("/files")).length).toBeGreaterThan(0);
      expect(await reader.stat("/files/l")).toBeNull();
      expect((await reader.snapshot()).directories).toEqual(["/files"]);
      expect((await reader.outline()).directories).toEqual(["/files"]);
      expect(await reader.delete("/files/l")).toEqual({ files: 0, dirs: 0 });
    }
  });

  it.each([false, true])("takes changes where a page is missing, history: %s", async (history) => {
    const { address, memory, fresh } = await openInterrupted({ history });
    await memory.append("/files/l", "one");
    await fresh.append("/files/l", "two");
    await fresh.write("/other/file", text);
    await memory.rename("/files/l", "/files/k");
    for (const reader of [memory, fresh, openStore({ history }).memory(address)]) {
      expect(await reader.read("/files/k")).toBe("one\ntwo");
      expect(await reader.read("/other/file")).toBe(text);
    }
    await fill(memory);
    expect((await fresh.snapshot()).files).toHaveLength(13);
    await expectSound(address);
  });

  it("is finished by the next", async () => {
    const { address, memory } = await openInterrupted();
    expect(await openStore().forget(address)).toMatchObject({ memories: 1 });
    expect(await readStoredPages(memories, address)).toEqual([]);
    await memory.write("/new", "new");
    expect((await memory.snapshot()).files.map(({ path }) => path)).toEqual(["/new"]);
  });
});

describe("a forget", () => {
  it("of one memory removes what was there before, though the memory shrinks to one page meanwhile", () =>
    atEachCommand(async (number) => {
      const address = freshAddress();
      const rival = openStore().memory(address);
      await fill(rival);
      await rival.write("/kept", "secret");
      const wasMet = await slowClient.runBeside(
        number,
        () => rival.delete("/files"),
        () => slowStore.forget(address),
      );
      expect(await readStoredPages(memories, address)).toEqual([]);
      return wasMet;
    }));

  it("removes or leaves as a whole a memory that is made again meanwhile", () =>
    atEachCommand(async (number) => {
      const address = freshAddress();
      await fill(openStore().memory(address));
      const wasMet = await slowClient.runBeside(
        number,
        async () => {
          await openStore().forget(address);
          await fill(openStore().memory(address));
        },
        () => slowStore.forget(address),
      );
      const { files } = await openStore().memory(address).snapshot();
      expect([names, []]).toContainEqual(files.map(({ path }) => path));
      await expectSound(address);
      return wasMet;
    }));

  it("of a user removes what was there before, though a memory shrinks to one page or grows to several meanwhile", () =>
    atEachCommand(async (number) => {
      const owner = { scope: "perUser", userId: freshAddress().nodeId } as const;
      const [large, small] = [
        { ...freshAddress(), ...owner },
        { ...freshAddress(), ...owner },
      ];
      const rival = openStore();
      for (const address of [large, small]) await rival.memory(address).write("/kept", "secret");
      await fill(rival.memory(large));
      const change = async (): Promise<void> => {
        await rival.memory(large).delete("/files");
        await rival.memory(small).append("/kept", "y".repeat(pageBytes));
        await rival
          .memory(small)
          .append("/kept/not", "y")
          .catch(() => undefined);
        await rival.memory(small).write("/more", text);
      };
      const wasMet = await slowClient.runBeside(number, change, () => slowStore.forget({ userId: owner.userId }));
      for (const address of [large, small])
        expect(JSON.stringify(await readStoredPages(memories, address))).not.toContain("secret");
      return wasMet;
    }));
});

it.each([
  ["small", 2],
  ["large", 12],
])("a memory that is made again and is %s is not changed by a call that read the one before", async (_title, count) => {
  const address = freshAddress();
  const [rival, slow] = [openStore(), slowStore.memory(address)];
  // Both memories have three changes, so their revisions are equal.
  for (const path of ["/a", "/b", "/d"]) await slow.write(path, "first");
  const replace = async (): Promise<void> => {
    await rival.forget(address);
    const namespace = ["memory", address.nodeId, "global"];
    const paths = ["/a", "/c", ...names].slice(0, count);
    await rival.batch(paths.map((key) => ({ namespace, key, value: { content: `second ${text}` } })));
    for (const path of ["/x", "/y"]) await rival.memory(address).write(path, "text");
  };
  // Its second command is the change.
  await refuses(
    slowClient.runBeside(2, replace, () => slow.rename("/a", "/c")),
    "EEXIST",
  );
  expect(await slow.read("/c")).toBe(`second ${text}`);
});

it.each([false, true])(
  "a move of a directory in several pages takes an append beside it along, history: %s",
  (history) =>
    atEachCommand(async (number) => {
      const address = freshAddress();
      const rival = openStore({ history }).memory(address);
      await fill(rival);
      const slow = openStore({ history, client: slowClient.client }).memory(address);
      const wasMet = await slowClient.runBeside(
        number,
        () => rival.append("/files/g", "late"),
        () => slow.rename("/files", "/moved"),
      );
      if (wasMet) {
        const { files } = await rival.snapshot();
        const late = files.filter(({ content }) => content.endsWith("late"));
        expect(late).toHaveLength(1);
      }
      await expectSound(address);
      return wasMet;
    }),
);

describe("moving recorded changes into versions", () => {
  it("loses no version, though another process moves them and changes the memory at the same time", () =>
    atEachCommand(async (number) => {
      const address = freshAddress();
      const rival = openStore({ history: true }).memory(address);
      for (const content of ["first", "second", "third"]) await rival.write("/file", content);
      const slow = openStore({ history: true, client: slowClient.client }).memory(address);
      const change = async (): Promise<void> => {
        await rival.history?.redact({ text: "first" });
        await rival.write("/new", "new");
      };
      // Redacting moves all recorded changes.
      const wasMet = await slowClient.runBeside(number, change, async () => slow.history?.redact({ text: "first" }));
      const versions: string[] = [];
      for await (const { id } of rival.history?.list() ?? []) versions.unshift(id);
      // A redaction gives the memory new revisions, so the id of the last version is not the next number.
      expect(versions).toEqual(["1", "2", "3", ...(wasMet ? [expect.stringMatching(/^([4-9]|\d\d)$/)] : [])]);
      return wasMet;
    }));

  it("leaves no version of a memory that is forgotten meanwhile", () =>
    atEachCommand(async (number) => {
      const address = freshAddress();
      const slow = openStore({ history: true, client: slowClient.client }).memory(address);
      for (const content of ["first", "second", "third"]) await slow.write("/file", content);
      const wasMet = await slowClient.runBeside(
        number,
        () => openStore({ history: true }).forget(address),
        // Moves all recorded changes.
        () => slow.history?.redact({ text: "found nowhere" }) ?? Promise.reject(new Error("no history")),
      );
      if (wasMet) expect(await findStored(db, address.nodeId)).toEqual([]);
      return wasMet;
    }));
});

describe.each([false, true])("a memory of several pages that expires, history: %s", (history) => {
  const lifeMs = 1_000;
  // In the future, so that MongoDB itself deletes nothing.
  const begin = Date.UTC(2100, 0);
  const end = begin + lifeMs;
  let now = begin;
  const clock = (): Date => new Date(now);
  const expiring = { history, expireMs: { perUser: lifeMs }, memoriesCollection: `expiring_${history}` };
  const store = openStore({ ...expiring, clock });
  const slow = openStore({ ...expiring, clock, client: slowClient.client });
  const early = openStore({ ...expiring, clock: () => new Date(end - 1) });

  /** A memory that ends at `end`, and that all stores know. */
  async function openEnding() {
    const address = { ...freshAddress(), scope: "perUser", userId: "ada" } as const;
    now = begin;
    await fill(store.memory(address));
    for (const each of [slow, early]) await each.memory(address).snapshot();
    return { address, memory: store.memory(address) };
  }

  /** Either everything is there, or nothing of the memory before its end. */
  async function expectWhole(address: MemoryAddress, changed: string): Promise<void> {
    const paths = (await store.memory(address).snapshot()).files.map(({ path }) => path);
    expect([names.filter((name) => name !== changed), []]).toContainEqual(paths.filter((path) => path !== changed));
    expect(findPageFaults(await readStoredPages(db.collection(expiring.memoriesCollection), address))).toEqual([]);
  }

  it("keeps a change that came just before its end, though a sweep comes at the same time", () =>
    atEachCommand(async (number) => {
      const { address, memory } = await openEnding();
      now = end;
      const wasMet = await slowClient.runBeside(
        number,
        () => early.memory(address).append("/files/l", "late"),
        () => slow.sweepExpired(),
      );
      if (wasMet) expect(await memory.read("/files/l")).toMatch(/late$/);
      await expectWhole(address, "/files/l");
      // Otherwise each sweep would look at all memories of this test.
      await store.forget(address);
      return wasMet;
    }));

  it.each<[string, (from: MongoMemoryStore, memory: Memory) => Promise<unknown>]>([
    ["sweep", (from) => from.sweepExpired()],
    ["append", (from, { address }) => from.memory(address).append("/files/g", "new")],
  ])("keeps the change of a store without a lifetime beside a %s that meets its end", (_, erase) =>
    atEachCommand(async (number) => {
      const { address, memory } = await openEnding();
      const forever = openStore({ ...expiring, clock, expireMs: {} }).memory(address);
      await forever.snapshot();
      now = end;
      const cold = openStore({ ...expiring, clock, client: slowClient.client });
      const wasMet = await slowClient.runBeside(
        number,
        () => forever.append("/files/l", "late"),
        () => erase(cold, memory),
      );
      if (wasMet) expect(await memory.read("/files/l")).toMatch(/late$/);
      const { files } = await memory.snapshot();
      if (files.length > 2) expect(files).toHaveLength(names.length);
      expect(findPageFaults(await readStoredPages(db.collection(expiring.memoriesCollection), address))).toEqual([]);
      await store.forget(address);
      return wasMet;
    }),
  );

  it("is kept with the change of a store without a lifetime beside a sweep, also if it has a single page", () =>
    atEachCommand(async (number) => {
      const address = { ...freshAddress(), scope: "perUser", userId: "ada" } as const;
      const forever = openStore({ ...expiring, clock, expireMs: {} }).memory(address);
      now = begin;
      await forever.append("/file", "early");
      now = end;
      const wasMet = await slowClient.runBeside(
        number,
        () => forever.append("/file", "late"),
        () => slow.sweepExpired(),
      );
      if (wasMet) expect(await forever.read("/file")).toMatch(/late$/);
      await store.forget(address);
      return wasMet;
    }));

  it.each<[string, (memory: Memory) => Promise<unknown>]>([
    ["append", (memory) => memory.append("/files/l", "late")],
    ["edit", (memory) => memory.edit("/files/l", (old) => `${old}late`)],
    ["rename", (memory) => memory.rename("/files/a", "/files/l1")],
    ["create", (memory) => memory.write("/files/z", text)],
  ])("makes or refuses an %s during which it ends", (_, change) =>
    atEachCommand(async (number) => {
      const { address, memory } = await openEnding();
      now = end - 1;
      const before = (await memory.snapshot()).files;
      let outcome = "";
      const wasMet = await slowClient.runBeside(
        number,
        () => Promise.resolve((now = end)),
        () =>
          change(slow.memory(address)).then(
            () => (outcome = "made"),
            (error: unknown) => (outcome = String(error)),
          ),
      );
      const { files } = await memory.snapshot();
      if (outcome === "made") expect(files).not.toEqual([]);
      else expect([outcome, files]).toEqual([expect.stringContaining("ENOENT"), []]);
      if (files.length > 1) expect(files.length).toBeGreaterThanOrEqual(before.length);
      return wasMet;
    }),
  );
});
