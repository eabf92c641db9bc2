import type { BaseStore, IndexConfig } from "@langchain/langgraph-checkpoint";

/** Opens a store whose items expire. The same storage each time. */
export type OpenExpiringStore = (ttl: {
  defaultTtlMs: number;
  refreshOnRead: boolean;
}) => BaseStore | Promise<BaseStore>;

/** Opens a store that ranks by meaning. Each call may give a new, empty storage. */
export type OpenIndexedStore = (index: IndexConfig) => BaseStore | Promise<BaseStore>;

/** A case that opens its stores itself. */
export interface VariantCase<Open> {
  /** Names the case in `knownFailures` and `skip`; never changes. */
  id: string;
  title: string;
  run: (context: { open: Open; root: string }) => Promise<void>;
}

export type ExpiryCase = VariantCase<OpenExpiringStore>;
export type RankingCase = VariantCase<OpenIndexedStore>;
