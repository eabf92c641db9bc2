import { deepEqual, equal, ok } from "node:assert/strict";
import { getKeys, type OpenExpiringStore, type VariantCase } from "../case.js";

/** Much longer than a command, so that an item still exists when it is read at once. */
const ttlMs = 600;
const afterExpiryMs = ttlMs + 150;

export const expiryCases: VariantCase<OpenExpiringStore>[] = [
  {
    id: "expiry-get",
    title: "an expired item is gone from get, search and listNamespaces at once",
    run: async ({ open, root }) => {
      const { store, pass } = await open({ defaultTtlMs: ttlMs, refreshOnRead: false });
      await store.put([root], "k", {});
      deepEqual(getKeys(await store.search([root])), ["k"]);
      await pass(afterExpiryMs);
      equal(await store.get([root], "k"), null);
      deepEqual(await store.search([root]), []);
      deepEqual(await store.listNamespaces({ prefix: [root] }), []);
    },
  },
  {
    id: "expiry-put-again",
    title: "an item put after its expiry is a new one",
    run: async ({ open, root }) => {
      const { store, pass } = await open({ defaultTtlMs: ttlMs, refreshOnRead: false });
      await store.put([root], "k", { old: 1 });
      const before = (await store.get([root], "k"))?.createdAt.getTime();
      await pass(afterExpiryMs);
      await store.put([root], "k", { new: 1 });
      const item = await store.get([root], "k");
      deepEqual(item?.value, { new: 1 });
      ok((item?.createdAt.getTime() ?? 0) > (before ?? Infinity), "createdAt is new");
    },
  },
  {
    id: "expiry-put-extends",
    title: "a put begins the time anew",
    run: async ({ open, root }) => {
      const { store, pass } = await open({ defaultTtlMs: ttlMs, refreshOnRead: false });
      await store.put([root], "k", { x: 1 });
      await pass(ttlMs * 0.6);
      await store.put([root], "k", { x: 2 });
      await pass(ttlMs * 0.6);
      deepEqual((await store.get([root], "k"))?.value, { x: 2 });
    },
  },
  {
    id: "expiry-refresh",
    title: "refreshOnRead begins the time anew with a get, and moves no updatedAt",
    run: async ({ open, root }) => {
      const { store, pass } = await open({ defaultTtlMs: ttlMs, refreshOnRead: true });
      await store.put([root], "k", {});
      const updatedAt = (await store.get([root], "k"))?.updatedAt.getTime();
      for (let read = 0; read < 3; read += 1) {
        await pass(ttlMs * 0.6);
        equal((await store.get([root], "k"))?.updatedAt.getTime(), updatedAt);
      }
    },
  },
  {
    id: "expiry-refresh-revives-nothing",
    title: "refreshOnRead revives no expired item",
    run: async ({ open, root }) => {
      const { store, pass } = await open({ defaultTtlMs: ttlMs, refreshOnRead: true });
      await store.put([root], "k", {});
      await pass(afterExpiryMs);
      for (let read = 0; read < 2; read += 1) equal(await store.get([root], "k"), null);
    },
  },
];
