import type { BaseStore, IndexConfig } from "@langchain/langgraph-checkpoint";

/** Opens a store whose items expire, always with the same storage. */
export type OpenExpiringStore = (ttl: {
  defaultTtlMs: number;
  refreshOnRead: boolean;
}) => BaseStore | Promise<BaseStore>;

/** Opens a store that ranks by similarity. Each call may use a new, empty storage. */
export type OpenIndexedStore = (index: IndexConfig) => BaseStore | Promise<BaseStore>;

/** A case that opens its own stores. */
export interface VariantCase<Open> {
  /** Name of the case in `knownFailures` and `skip`. It never changes. */
  id: string;
  title: string;
  run: (context: { open: Open; root: string }) => Promise<void>;
}

export type ExpiryCase = VariantCase<OpenExpiringStore>;
export type RankingCase = VariantCase<OpenIndexedStore>;
