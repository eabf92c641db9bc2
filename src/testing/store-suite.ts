import { randomUUID } from "node:crypto";
import { AsyncBatchedStore, type BaseStore } from "@langchain/langgraph-checkpoint";
import type { TestRunner } from "./memory-suite.js";
import { type StoreCapabilities, storeCapabilityDefaults, type StoreCase } from "./store-case.js";
import { batchCases } from "./store-cases/batches.js";
import { concurrencyCases } from "./store-cases/concurrency.js";
import { expiryCases } from "./store-cases/expiry.js";
import { filterCases } from "./store-cases/filters.js";
import { hostileCases } from "./store-cases/hostile.js";
import { itemCases } from "./store-cases/items.js";
import { namespaceCases } from "./store-cases/namespaces.js";
import { rankingCases } from "./store-cases/ranking.js";
import { searchCases } from "./store-cases/search.js";
import { valueCases } from "./store-cases/values.js";
import type { OpenExpiringStore, OpenIndexedStore, VariantCase } from "./store-variants.js";

/** Opens the store under test: a new one for each case, or always the same one. Starts it if it needs that. */
export type OpenStore = () => BaseStore | Promise<BaseStore>;

/** What a store declares, how else it can be opened, and which cases it is known to fail. */
export interface StoreSuiteOptions {
  /** What the store declares about itself. Its documentation should tell users the same. */
  capabilities?: Partial<StoreCapabilities>;
  /** Opens the store with items that expire. Without it those cases do not run. */
  openExpiring?: OpenExpiringStore;
  /** Opens the store with an index of embeddings. Without it those cases do not run. */
  openIndexed?: OpenIndexedStore;
  /** Cases that fail, with the reason of each. They run, and one that passes is an error. */
  knownFailures?: Readonly<Record<string, string>>;
  /** Cases that do not run, with the reason of each. For cases that cannot just fail, such as one that never ends. */
  skip?: Readonly<Record<string, string>>;
}

/** A case bound to the store under test. */
interface BoundCase {
  id: string;
  title: string;
  run: () => Promise<void>;
}

const groups: Record<string, StoreCase[]> = {
  items: itemCases,
  values: valueCases,
  search: searchCases,
  filters: filterCases,
  listNamespaces: namespaceCases,
  batches: batchCases,
  "hostile arguments": hostileCases,
  "concurrent calls": concurrencyCases,
};

const wrappedPrefix = "wrapped:";

/**
 * Registers what every LangGraph store must do: the semantics of `InMemoryStore` of `@langchain/langgraph-checkpoint`
 * 1.2, refusals where it would guess, and no loss under concurrency. Each case works below a first label of its own, so
 * one storage serves them all; it leaves its items behind. Cases that LangGraph's wrapper can run, run through it too,
 * as `wrapped:<id>`.
 *
 * @param runner `{ describe, it }` of the test runner in use; the longest case makes 3,000 puts, so allow a test 30 s.
 * @param openStore called inside the tests only.
 * @throws TypeError for an id in `knownFailures` or `skip` that is no case of this store's, or has no reason
 */
export function defineStoreSuite(
  { describe, it }: TestRunner,
  openStore: OpenStore,
  options: StoreSuiteOptions = {},
): void {
  const { knownFailures = {}, skip = {} } = options;
  const all = boundGroups(openStore, options);
  checkReasons(
    all.flatMap(([, cases]) => cases),
    { knownFailures, skip },
  );
  for (const [group, cases] of all) {
    describe(group, () => {
      for (const { id, title, run } of cases) {
        const reason = knownFailures[id];
        if (skip[id] !== undefined) it.skip?.(`${title} [${id}]: ${skip[id]}`, run);
        else if (reason === undefined) it(`${title} [${id}]`, run);
        else it(`fails: ${title} [${id}]: ${reason}`, () => mustFail(id, run));
      }
    });
  }
}

function boundGroups(openStore: OpenStore, options: StoreSuiteOptions): [group: string, cases: BoundCase[]][] {
  const declared = { ...storeCapabilityDefaults, ...options.capabilities };
  const applies = ({ needs = {} }: StoreCase): boolean =>
    Object.entries(needs).every(([name, value]) => declared[name as keyof StoreCapabilities] === value); // its entries' names
  const direct = Object.entries(groups).map(([group, cases]): [string, BoundCase[]] => [
    group,
    cases.filter(applies).map(({ id, title, run }) => ({
      id,
      title,
      run: async () => run({ store: await openStore(), root: freshRoot() }),
    })),
  ]);
  const wrapped = Object.entries(groups).map(([group, cases]): [string, BoundCase[]] => [
    `${group}, through LangGraph's wrapper`,
    cases.filter(applies).flatMap((one) => (one.directOnly === true ? [] : [throughWrapper(one, openStore)])),
  ]);
  const { openExpiring, openIndexed } = options;
  const variants: [string, BoundCase[]][] = [
    ["expiry", openExpiring ? bound(expiryCases, openExpiring) : []],
    ["ranking", openIndexed ? bound(rankingCases, openIndexed) : []],
  ];
  return [...direct, ...wrapped, ...variants].filter(([, cases]) => cases.length > 0);
}

function bound<Open>(cases: readonly VariantCase<Open>[], open: Open): BoundCase[] {
  return cases.map(({ id, title, run }) => ({ id, title, run: () => run({ open, root: freshRoot() }) }));
}

/** As a node of a graph finds the store in its config. */
function throughWrapper({ id, title, run }: StoreCase, openStore: OpenStore): BoundCase {
  return {
    id: `${wrappedPrefix}${id}`,
    title,
    run: async () => {
      const store = new AsyncBatchedStore(await openStore());
      store.start();
      try {
        await run({ store, root: freshRoot() });
      } finally {
        await store.stop();
      }
    },
  };
}

function freshRoot(): string {
  return `case ${randomUUID()}`;
}

async function mustFail(id: string, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch {
    return;
  }
  throw new Error(`the case "${id}" does not fail any more: take it out of knownFailures`);
}

function checkReasons(
  cases: readonly BoundCase[],
  lists: Record<"knownFailures" | "skip", Readonly<Record<string, string>>>,
): void {
  const ids = new Set(cases.map(({ id }) => id));
  for (const [list, reasons] of Object.entries(lists)) {
    for (const [id, reason] of Object.entries(reasons)) {
      if (!ids.has(id)) throw new TypeError(`${list}: no case "${id}" runs for this store`);
      if (typeof reason !== "string" || reason.trim() === "")
        throw new TypeError(`${list}: the case "${id}" needs a written reason`);
    }
  }
  const both = Object.keys(lists.skip).find((id) => Object.hasOwn(lists.knownFailures, id));
  if (both !== undefined) throw new TypeError(`the case "${both}" cannot be both skipped and a known failure`);
}
