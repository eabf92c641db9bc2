import { describe, expect, it } from "@jest/globals";
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { promisify } from "node:util";
import type { MongoClient } from "mongodb";
import type { Memory } from "../../../src/index.js";
import { compiled } from "../../helpers/compiled-sources.js";
import { describeSnapshot } from "../../helpers/interleaving.js";
import {
  type ActName,
  type ActPlace,
  type KilledAct,
  killedActs,
  openPlace,
  secret,
  type StoreSettings,
  type UserAddress,
} from "../../helpers/killed-acts.js";
import { startImpatientServer } from "../../helpers/impatient-server.js";
import { toArgument } from "../../helpers/page-sizes.js";
import { isLong } from "../../helpers/repetitions.js";
import { findPageFaults, readStoredPages } from "../../helpers/stored-pages.js";

const runProcess = promisify(execFile);
const worker = compiled("__tests__/helpers/killed-act-worker.ts");

const freshUser = (): UserAddress => ({
  nodeId: `node ${randomUUID()}`,
  scope: "perUser",
  userId: `user ${randomUUID()}`,
});

/** A memory and the histories of its files, without times and ids. */
async function describeMemory(memory: Memory) {
  const versions: Record<string, unknown[]> = {};
  for await (const { path, operation, sizeBytes, redactedAt } of memory.history?.list() ?? [])
    (versions[path] ??= []).push([operation, sizeBytes, redactedAt !== undefined]);
  return { ...describeSnapshot(await memory.snapshot()), versions };
}

/** What the memory is before and after the act. */
async function findStates(act: KilledAct, settings: StoreSettings) {
  const prepared = openPlace({ ...settings, aheadMs: 0 }, freshUser());
  await act.prepare?.(prepared);
  const before = await describeMemory(prepared.memory);
  const place = openPlace(settings, prepared.address);
  await act.run(place);
  return { before, after: await describeMemory(place.memory) };
}

/** @returns whether the process has died */
async function dieInProcess(name: ActName, number: number, place: ActPlace, uri: string): Promise<boolean> {
  const { dbName, address, history, pageBytes } = place;
  const last = [history ? "history" : "", toArgument(pageBytes)];
  const args = [worker, uri, dbName, JSON.stringify(address), name, String(number), ...last];
  return runProcess(process.execPath, args).then(
    () => false,
    ({ signal }: { signal?: string }) => {
      expect(signal).toBe("SIGKILL");
      return true;
    },
  );
}

/** Everything in a database that names an id, by collection. */
async function findNaming(client: MongoClient, dbName: string, id: string): Promise<string[]> {
  const db = client.db(dbName);
  const found: string[] = [];
  for (const { name } of await db.listCollections().toArray())
    for (const document of await db.collection(name).find().toArray())
      if (JSON.stringify(document).includes(id)) found.push(name);
  return found;
}

/** Kills a process before a command of an act, and looks at what it leaves. @returns whether there was such a command */
async function checkDeath(
  name: ActName,
  number: number,
  variant: Pick<StoreSettings, "pageBytes" | "history">,
): Promise<boolean> {
  const { mongod, client } = await startImpatientServer();
  const act: KilledAct = killedActs[name];
  const { aheadMs = 0, isRepeated } = act;
  const settings = { ...variant, client, dbName: name.replaceAll(" ", "_"), aheadMs };
  const { before, after } = await findStates(act, { ...settings, dbName: `${settings.dbName}_whole` });
  const prepared = openPlace({ ...settings, aheadMs: 0 }, freshUser());
  await act.prepare?.(prepared);
  const isDead = await dieInProcess(name, number, prepared, mongod.uri);
  const { memory, address, ...place } = openPlace(settings, prepared.address);
  const left = await describeMemory(memory);
  const memories = client.db(settings.dbName).collection("memories");
  const findFaults = async (): Promise<string[]> => findPageFaults(await readStoredPages(memories, address));
  const isRemoval = name === "sweep" || name.startsWith("forget");
  if (!isRemoval) expect(await findFaults()).toEqual([]);
  if (isRemoval) expect(left.files.length).toBeLessThanOrEqual(before.files.length);
  else if (isRepeated !== true) expect([before, after]).toContainEqual(left);
  else expect([before.files, after.files]).toContainEqual(left.files);
  if (!isDead) expect(left).toEqual(after);
  if (isRepeated === true) {
    await act.run({ ...place, memory, address });
    expect(await describeMemory(memory)).toEqual(after);
  }
  if (isRemoval) expect(await findNaming(client, settings.dbName, address.userId)).toEqual([]);
  if (name === "redaction") expect(await findNaming(client, settings.dbName, secret)).toEqual([]);
  // It can be changed, and forgotten.
  for (const path of ["/a/one", "/b/new", "/z"]) await memory.append(path, "more");
  expect(await memory.read("/z")).toMatch(/more$/);
  expect(await findFaults()).toEqual([]);
  await place.store.forget(address);
  expect(await findNaming(client, settings.dbName, address.userId)).toEqual([]);
  return isDead;
}

const names = Object.keys(killedActs) as ActName[];
const variants = [
  { pageBytes: 200, history: true },
  { pageBytes: 200, history: false },
  { pageBytes: undefined, history: true },
];

describe.each(isLong ? variants : variants.slice(0, 1))(
  "with pages of $pageBytes bytes, history: $history",
  (variant) => {
    // Each command of each act takes a process of its own, so the usual run has one of pages and one of versions.
    const usual: ActName[] = isLong ? names : ["split", "flush"];
    const acts = usual.filter((name) => variant.history || !("needsHistory" in killedActs[name]));

    it.each(acts)("a process that is killed at any command of a %s leaves a whole memory", async (name) => {
      let count = 0;
      while (await checkDeath(name, count + 1, variant)) count += 1;
      expect(count).toBeGreaterThan(0);
    });
  },
);
