import { describe, expect, it } from "@jest/globals";
import { type MemoryAddress, type Memory, MongoMemoryStore, type MongoMemoryStoreOptions } from "../../../src/index.js";
import { freshAddress } from "../../helpers/memory-case.js";
import { withPageBytes } from "../../helpers/page-sizes.js";
import { findPageFaults, readStoredPages } from "../../helpers/stored-pages.js";
import { testDatabase } from "../../helpers/test-database.js";

const { client, name: dbName, db } = testDatabase("replicaSet");
const pageBytes = 1_000;
const openStore = (options: Partial<MongoMemoryStoreOptions> = {}): MongoMemoryStore =>
  new MongoMemoryStore({ client, dbName, ...withPageBytes(pageBytes), ...options });

const line = "x".repeat(100);
const names = Array.from({ length: 12 }, (_, index) => `/files/${String.fromCodePoint(97 + index)}`);

/** Writes so much that the memory has several pages. */
async function fill(memory: Memory): Promise<void> {
  for (const name of names) await memory.write(name, line);
}

async function expectSound(address: MemoryAddress, atLeast = 2): Promise<void> {
  const pages = await readStoredPages(db.collection("memories"), address);
  expect(findPageFaults(pages)).toEqual([]);
  expect(pages.length).toBeGreaterThanOrEqual(atLeast);
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
    await one.write("/files/a", line);
    expect(await two.read("/files/a")).toBe(line);
    await fill(one);
    expect(await two.delete("/files/l")).toEqual({ files: 1, dirs: 0 });
    await one.delete("/files");
    await fill(one);
    expect(await two.delete("/files/k")).toEqual({ files: 1, dirs: 0 });
    expect((await one.list("/files")).map(({ name }) => `/files/${name}`)).toEqual(
      names.filter((name) => name !== "/files/k"),
    );
    await expectSound(address);
  });

  it("appends to a file that a split has moved from a page that it knew", async () => {
    const { address, one, two } = await openTwice();
    await fill(one);
    expect(await two.list("/files")).toHaveLength(names.length);
    for (const name of names) await one.write(`${name}1`, line);
    for (const name of names) await two.append(`${name}1`, "more");
    for (const name of names) expect(await one.read(`${name}1`)).toBe(`${line}\nmore`);
    await expectSound(address);
  });

  it("names each directory once in an outline, wherever the files were written", async () => {
    const { address, one, two } = await openTwice();
    await fill(one);
    await two.append("/files/l", "");
    await two.write("/files/m", "new");
    expect((await one.outline()).directories).toEqual(["/files"]);
    await expectSound(address);
  });
});
