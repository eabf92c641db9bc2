import { randomUUID } from "node:crypto";
import { AsyncBatchedStore, type BaseStore } from "@langchain/langgraph-checkpoint";
import {
  type OpenExpiringStore,
  type OpenIndexedStore,
  type StoreCapabilities,
  storeCapabilityDefaults,
  type StoreCase,
  type VariantCase,
} from "./case.js";
import { batchCases } from "./cases/batches.js";
import { concurrencyCases } from "./cases/concurrency.js";
import { expiryCases } from "./cases/expiry.js";
import { filterCases } from "./cases/filters.js";
import { hostileCases } from "./cases/hostile.js";
import { itemCases } from "./cases/items.js";
import { namespaceCases } from "./cases/namespaces.js";
import { rankingCases } from "./cases/ranking.js";
import { searchCases } from "./cases/search.js";
import { valueCases } from "./cases/values.js";

/** The functions of a test runner. */
export interface StoreSuiteRunner {
  describe: (title: string, define: () => void) => void;
  it: { (title: string, run: () => Promise<void>): void; skip: (title: string, run: () => Promise<void>) => void };
}

/** Opens the store under test, and starts it if necessary. May return a new store for each case, or always the same. */
type OpenStore = () => BaseStore | Promise<BaseStore>;

/** Options of a suite: the store's capabilities, other ways to open it, and the cases that it is known to fail. */
export interface StoreSuiteOptions {
  /** The capabilities that the store declares. */
  capabilities?: Partial<StoreCapabilities>;
  /** Opens the store with items that expire. Without this option, the cases about expiry do not run. */
  openExpiring?: OpenExpiringStore;
  /** Opens the store with an index of embeddings. Without this option, the cases about the index do not run. */
  openIndexed?: OpenIndexedStore;
  /** Cases that fail, each with its reason. They run, and a case that passes is an error. */
  knownFailures?: Readonly<Record<string, string>>;
  /**
   * Cases that do not run, each with its reason. Only for cases that do worse than fail, such as a case that never
   * ends.
   */
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
 * Registers the tests that every LangGraph store must pass: the semantics of `InMemoryStore` of
 * `@langchain/langgraph-checkpoint` 1.2, refusals where that store would guess, and no loss under concurrency. Each
 * case works below its own first label, so one storage serves all cases. Items remain after a case. Cases that
 * LangGraph's wrapper can run also run through the wrapper, as `wrapped:<id>`.
 *
 * @param openStore called only inside the tests.
 * @throws TypeError for an id in `knownFailures` or `skip` that is no case of this store
 */
export function defineStoreSuite(
  { describe, it }: StoreSuiteRunner,
  openStore: OpenStore,
  options: StoreSuiteOptions = {},
): void {
  const { knownFailures = {}, skip = {} } = options;
  const all = boundGroups(openStore, options);
  checkIds(
    all.flatMap(([, cases]) => cases),
    options,
  );
  for (const [group, cases] of all) {
    describe(group, () => {
      for (const { id, title, run } of cases) {
        const reason = knownFailures[id];
        if (skip[id] !== undefined) it.skip(`${title} [${id}]: ${skip[id]}`, run);
        else if (reason === undefined) it(`${title} [${id}]`, run);
        else it(`fails: ${title} [${id}]: ${reason}`, () => expectFailure(id, run));
      }
    });
  }
}

function boundGroups(openStore: OpenStore, options: StoreSuiteOptions): [group: string, cases: BoundCase[]][] {
  const declared = { ...storeCapabilityDefaults, ...options.capabilities };
  const applies = ({ needs = {} }: StoreCase): boolean =>
    Object.entries(needs).every(([name, value]) => declared[name as keyof StoreCapabilities] === value); // its names
  const direct = Object.entries(groups).map(([group, cases]): [string, BoundCase[]] => [
    group,
    cases.filter(applies).map(({ id, title, run }) => ({
      id,
      title,
      run: async () => run({ store: await openStore(), root: createRoot() }),
    })),
  ]);
  const wrapped = Object.entries(groups).map(([group, cases]): [string, BoundCase[]] => [
    `${group}, through LangGraph's wrapper`,
    cases.filter(applies).flatMap((one) => (one.directOnly === true ? [] : [bindThroughWrapper(one, openStore)])),
  ]);
  const { openExpiring, openIndexed } = options;
  const variants: [string, BoundCase[]][] = [
    ["expiry", openExpiring ? bindCases(expiryCases, openExpiring) : []],
    ["ranking", openIndexed ? bindCases(rankingCases, openIndexed) : []],
  ];
  return [...direct, ...wrapped, ...variants].filter(([, cases]) => cases.length > 0);
}

function bindCases<Open>(cases: readonly VariantCase<Open>[], open: Open): BoundCase[] {
  return cases.map(({ id, title, run }) => ({ id, title, run: () => run({ open, root: createRoot() }) }));
}

/** Runs a case through LangGraph's wrapper, which a graph's node finds in its config. */
function bindThroughWrapper({ id, title, run }: StoreCase, openStore: OpenStore): BoundCase {
  return {
    id: `${wrappedPrefix}${id}`,
    title,
    run: async () => {
      const store = new AsyncBatchedStore(await openStore());
      store.start();
      try {
        await run({ store, root: createRoot() });
      } finally {
        await store.stop();
      }
    },
  };
}

function createRoot(): string {
  return `case ${randomUUID()}`;
}

async function expectFailure(id: string, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch {
    return;
  }
  throw new Error(`the case "${id}" does not fail any more: take it out of knownFailures`);
}

/** A list that names a case which does not run would excuse nothing, and would stay for ever. */
function checkIds(cases: readonly BoundCase[], { knownFailures = {}, skip = {} }: StoreSuiteOptions): void {
  const ids = new Set(cases.map(({ id }) => id));
  const unknown = Object.keys({ ...knownFailures, ...skip }).filter((id) => !ids.has(id));
  if (unknown.length > 0) throw new TypeError(`no such cases run for this store: ${unknown.join(", ")}`);
}
