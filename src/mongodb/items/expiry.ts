import { types } from "node:util";
import { storedNamespace } from "../operations/namespaces.js";

/** The expiry of items. Memories expire by `expireMs` instead. */
export interface TtlOptions {
  /**
   * Default lifetime of an item in ms, from its last put, unless `namespaces` sets one. null: for ever. @default null
   */
  defaultTtlMs?: number | null;
  /** Whether `get` and `search` restart the lifetime of the items that they return. @default false */
  refreshOnRead?: boolean;
  /** Lifetimes in ms for a namespace and those below it. The longest prefix wins; null: for ever. @default none */
  namespaces?: { prefix: string[]; ttlMs: number | null }[];
}

/** Computes when an item expires that is put now. */
export class Expiry {
  /** Whether items may expire at all. */
  readonly configured: boolean;
  readonly refreshOnRead: boolean;
  readonly #defaultTtlMs: number | null;
  readonly #ttlMsByPrefix: ReadonlyMap<string, number | null>;

  constructor(options: TtlOptions | undefined) {
    this.configured = options !== undefined;
    this.refreshOnRead = options?.refreshOnRead ?? false;
    this.#defaultTtlMs = options?.defaultTtlMs ?? null;
    this.#ttlMsByPrefix = new Map(options?.namespaces?.map(({ prefix, ttlMs }) => [storedNamespace(prefix), ttlMs]));
  }

  /** Returns null if items of this namespace never expire. */
  getTtlMs(namespace: readonly string[]): number | null {
    if (this.#ttlMsByPrefix.size === 0) return this.#defaultTtlMs;
    for (let length = namespace.length; length > 0; length -= 1) {
      const ttlMs = this.#ttlMsByPrefix.get(storedNamespace(namespace.slice(0, length)));
      if (ttlMs !== undefined) return ttlMs;
    }
    return this.#defaultTtlMs;
  }

  expiresAt(namespace: readonly string[], now: Date): Date | undefined {
    const ttlMs = this.getTtlMs(namespace);
    return ttlMs === null ? undefined : new Date(now.getTime() + ttlMs);
  }
}

/** Returns a filter for items that have not expired. It also matches items that never expire. */
export function notExpired(now: Date): object {
  return { expiresAt: { $not: { $lte: now } } };
}

export function isItemExpired({ expiresAt }: { expiresAt?: Date | null }, now: Date): boolean {
  return types.isDate(expiresAt) && expiresAt <= now;
}
