import { deepEqual, equal, ok } from "node:assert/strict";
import type { BaseStore, IndexConfig, Item, SearchItem } from "@langchain/langgraph-checkpoint";

/** Capabilities that a store declares. Good stores differ in them. */
export interface StoreCapabilities {
  /** Whether `search` and `listNamespaces` sort by namespace, then key, by UTF-16 code units. @default true */
  ordersByCodeUnits: boolean;
  /** Whether a namespace is still listed after its last item was deleted. @default false */
  listsEmptiedNamespaces: boolean;
  /**
   * Whether the store copies the values that it receives and returns, so that later changes of these objects have no
   * effect. @default true
   */
  copiesValues: boolean;
  /** Whether a `Date` in a value is returned as a `Date`. @default true */
  storesDates: boolean;
  /** Whether a `Uint8Array` in a value is returned as bytes. @default true */
  storesBytes: boolean;
  /** Whether a bigint of 64 bits in a value is returned as a bigint. @default true */
  storesBigints: boolean;
}

export const storeCapabilityDefaults: Readonly<StoreCapabilities> = {
  ordersByCodeUnits: true,
  listsEmptiedNamespaces: false,
  copiesValues: true,
  storesDates: true,
  storesBytes: true,
  storesBigints: true,
};

/** The arguments of a case. */
export interface StoreCaseContext {
  store: BaseStore;
  /** First label of every namespace that the case may use. No other case has this label. */
  root: string;
}

export interface StoreCase {
  /** Name of the case in `knownFailures` and `skip`. It never changes. */
  id: string;
  title: string;
  /** The case runs only if the store declares exactly these values. */
  needs?: Partial<StoreCapabilities>;
  /** Set if the case uses `batch` or `listNamespaces`, which LangGraph's wrapper lacks. */
  directOnly?: true;
  run: (context: StoreCaseContext) => Promise<void>;
}

/** A store whose items expire, and its time. */
export interface ExpiringStore {
  store: BaseStore;
  /** Lets time pass for the store: by its clock, so that a busy machine changes nothing, or by waiting. */
  pass: (ms: number) => Promise<unknown>;
}

/** Opens a store whose items expire. */
export type OpenExpiringStore = (ttl: {
  defaultTtlMs: number;
  refreshOnRead: boolean;
}) => ExpiringStore | Promise<ExpiringStore>;

/** Opens a store that ranks by similarity. Each call may use a new, empty storage. */
export type OpenIndexedStore = (index: IndexConfig) => BaseStore | Promise<BaseStore>;

/** A case that opens its own stores. */
export interface VariantCase<Open> {
  /** Name of the case in `knownFailures` and `skip`. It never changes. */
  id: string;
  title: string;
  run: (context: { open: Open; root: string }) => Promise<void>;
}

export type ItemFields = Record<string, unknown>;

export const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

/**
 * The order of answers of a store with `ordersByCodeUnits`. Answers of other stores are sorted before they are
 * compared.
 */
export const byCodeUnits = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

export const getKeys = (items: readonly Item[]): string[] => items.map((item) => item.key);

export const getSortedKeys = (items: readonly Item[]): string[] => getKeys(items).toSorted(byCodeUnits);

export async function getValue(store: BaseStore, namespace: string[], key: string): Promise<ItemFields | undefined> {
  return (await store.get(namespace, key))?.value;
}

/** Puts each value under its key into one namespace. */
export async function putAll(store: BaseStore, namespace: string[], values: Record<string, ItemFields>): Promise<void> {
  for (const [key, value] of Object.entries(values)) await store.put(namespace, key, value);
}

/** Asserts the keys that a filter finds in a namespace, in any order. */
export async function findsKeys(
  store: BaseStore,
  namespace: string[],
  filter: ItemFields,
  keys: readonly string[],
): Promise<void> {
  const found = await store.search(namespace, { filter, limit: 100 });
  deepEqual(getSortedKeys(found), keys.toSorted(byCodeUnits), `filter ${valueText(filter)}`);
}

/** Asserts that each call is refused or finds nothing. A store must never ignore a condition. */
export async function refusesOrFindsNothing(what: string, call: () => Promise<unknown>): Promise<void> {
  const answer = await attempt(call);
  if (answer.refused) return;
  const found = Array.isArray(answer.value)
    ? answer.value.filter((one) => !isEmptyAnswer(one))
    : [answer.value ?? null].filter((one) => one !== null);
  deepEqual(found, [], `${what} must be refused or find nothing`);
}

const isEmptyAnswer = (answer: unknown): boolean =>
  answer === null || answer === undefined || (Array.isArray(answer) && answer.length === 0);

/** Asserts a refusal, and the error's name if the contract has one. */
export async function mustRefuse(what: string, call: () => Promise<unknown>, name?: string): Promise<void> {
  const answer = await attempt(call);
  ok(answer.refused, `${what} must be refused`);
  if (name !== undefined) equal(Reflect.get(Object(answer.error), "name"), name, `the error for ${what}`);
}

export type AttemptOutcome<T> = { refused: false; value: T } | { refused: true; error: unknown };

export async function attempt<T>(call: () => Promise<T>): Promise<AttemptOutcome<T>> {
  try {
    return { refused: false, value: await call() };
  } catch (error) {
    return { refused: true, error };
  }
}

/** Reads all pages of a search, one after the other. */
export async function readPages(
  store: BaseStore,
  prefix: string[],
  limit: number,
  filter?: ItemFields,
): Promise<SearchItem[]> {
  const pages: SearchItem[] = [];
  for (let offset = 0; ; offset += limit) {
    const page = await store.search(prefix, { limit, offset, ...(filter && { filter }) });
    ok(page.length <= limit, `a page of at most ${limit} items has ${page.length}`);
    pages.push(...page);
    if (page.length < limit) return pages;
  }
}

/** Formats a value for a message, including values that JSON cannot express. */
export function valueText(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => {
    if (typeof part === "bigint" || part === undefined || part instanceof RegExp) return String(part);
    return part;
  });
}
