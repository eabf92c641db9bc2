import type { MongoClient } from "mongodb";
import { createUnlimitedCall } from "../../src/core/runtime/call.js";
import { checkAddress } from "../../src/core/values/address.js";
import { type Memory, MemoryNode, MongoMemoryStore } from "../../src/index.js";
import { moveVersions } from "../../src/mongodb/memories/outbox/outbox-source.js";
import { openCollections } from "../../src/mongodb/memories/collections.js";
import { openMemoriesDatabase } from "../../src/mongodb/driver/client.js";
import { openContext } from "../../src/mongodb/memories/memory-context.js";
import { withPageBytes } from "./page-sizes.js";

export interface UserAddress {
  nodeId: string;
  scope: "perUser";
  userId: string;
}

export interface StoreSettings {
  client: MongoClient;
  dbName: string;
  pageBytes: number | undefined;
  history: boolean;
  /** By how much its clock is ahead, in ms. */
  aheadMs: number;
}

/** A memory in a database. */
export interface ActPlace extends StoreSettings {
  store: MongoMemoryStore;
  address: UserAddress;
  memory: Memory;
}

export interface KilledAct {
  /** By how much the clock of the process that dies is ahead, in ms. @default 0 */
  aheadMs?: number;
  /** Whether it needs a history. @default false */
  needsHistory?: true;
  /** Whether it can be repeated until it has been done. Else it is done or not. @default false */
  isRepeated?: true;
  prepare?: (place: ActPlace) => Promise<unknown>;
  run: (place: ActPlace) => Promise<unknown>;
}

const dayMs = 86_400_000;
const lifetime = { perUser: dayMs };
export const secret = "TOP-SECRET";
const text = "t".repeat(90);
const paths = ["/a/one", "/a/two", "/a/three", "/b/c/y", "/b/x", "/m", "/z"];

export function openPlace(settings: StoreSettings, address: UserAddress): ActPlace {
  const { client, dbName, pageBytes, history, aheadMs } = settings;
  const clock = (): Date => new Date(Date.now() + aheadMs);
  const options = { client, dbName, history, expireMs: lifetime, clock, ...withPageBytes(pageBytes) };
  const store = new MongoMemoryStore(options);
  return { ...settings, store, address, memory: store.memory(address) };
}

async function fill({ memory }: ActPlace): Promise<void> {
  for (const path of paths) await memory.write(path, text);
}

async function flush({ client, dbName, pageBytes, address }: ActPlace): Promise<unknown> {
  const opened = openCollections({
    db: openMemoriesDatabase(client, dbName),
    client,
    collectionName: "memories",
    connect: () => undefined,
    clock: () => new Date(),
    expireMs: lifetime,
    history: { begins: true },
    embeddings: null,
    makesIndexes: true,
    pageBytes,
  });
  return moveVersions(openContext(opened, checkAddress(address)), createUnlimitedCall());
}

async function propose({ store, address }: ActPlace): Promise<unknown> {
  const rules = [{ path: "/**", access: "ask" as const }];
  const node = new MemoryNode({ store, nodeId: address.nodeId, scope: "perUser", rules, onAsk: "propose" });
  const [tool] = node.memoryTools;
  const config = { configurable: { user_id: address.userId } };
  return tool?.invoke({ command: "append", path: "/a/four", content: text } as never, config);
}

async function approve({ memory }: ActPlace): Promise<unknown> {
  const { proposals } = memory;
  if (proposals === null) return null;
  const ids: string[] = [];
  for await (const { id } of proposals.list()) ids.push(id);
  // The dead process may have approved it already.
  for (const id of ids) await proposals.approve(id, { by: { userId: "reviewer" } }).catch(() => undefined);
  return null;
}

/** What a process does with a memory until it is killed. */
export const killedActs = {
  split: { prepare: fill, run: ({ memory }) => memory.append("/a/one", text.repeat(3)) },
  rename: { prepare: fill, run: ({ memory }) => memory.rename("/a", "/n/o") },
  "delete of everything": { prepare: fill, run: ({ memory }) => memory.delete("/") },
  batch: {
    run: ({ store, address }) => {
      const namespace = ["memory", address.nodeId, "perUser", address.userId];
      return store.batch(paths.map((key) => ({ namespace, key, value: { content: text } })));
    },
  },
  approval: {
    prepare: async (place) => {
      await fill(place);
      await propose(place);
    },
    isRepeated: true,
    run: approve,
  },
  flush: { prepare: fill, needsHistory: true, isRepeated: true, run: flush },
  redaction: {
    prepare: async (place) => {
      await place.memory.write("/a/gone", secret);
      await fill(place);
      await place.memory.write("/a/gone", "nothing");
    },
    needsHistory: true,
    isRepeated: true,
    run: ({ memory }) => memory.history?.redact({ path: "/a/gone" }) ?? Promise.resolve(),
  },
  sweep: { prepare: fill, aheadMs: 2 * dayMs, isRepeated: true, run: ({ store }) => store.sweepExpired() },
  forget: { prepare: fill, isRepeated: true, run: ({ store, address }) => store.forget(address) },
  "forget of a user": {
    prepare: fill,
    isRepeated: true,
    run: ({ store, address }) => store.forget({ userId: address.userId }),
  },
} as const satisfies Record<string, KilledAct>;

export type ActName = keyof typeof killedActs;
