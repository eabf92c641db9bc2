import { types } from "node:util";
import { storedNamespace } from "../places/namespaces.js";

/** When items go by themselves. Memories never do. */
export interface TtlOptions {
  /** Of items that no entry of `namespaces` is for, from their last put on; null keeps them. @default null */
  defaultTtlMs?: number | null;
  /** Whether `get` and `search` begin the time of what they answer anew. @default false */
  refreshOnRead?: boolean;
  /** For namespaces at or below a prefix of whole labels; the longest prefix decides, and null keeps the items. */
  namespaces?: { prefix: string[]; ttlMs: number | null }[];
}

/** When an item put now will be gone. */
export class Expiry {
  /** Whether items may be put with an end at all. */
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

  /** Null: never. */
  ttlMsOf(namespace: readonly string[]): number | null {
    for (let length = this.#ttlMsByPrefix.size === 0 ? 0 : namespace.length; length > 0; length -= 1) {
      const ttlMs = this.#ttlMsByPrefix.get(storedNamespace(namespace.slice(0, length)));
      if (ttlMs !== undefined) return ttlMs;
    }
    return this.#defaultTtlMs;
  }

  expiresAt(namespace: readonly string[], now: Date): Date | undefined {
    const ttlMs = this.ttlMsOf(namespace);
    return ttlMs === null ? undefined : new Date(now.getTime() + ttlMs);
  }
}

/** Also true for items without an end. */
export function notExpired(now: Date): object {
  return { expiresAt: { $not: { $lte: now } } };
}

export function isExpired({ expiresAt }: { expiresAt?: Date | null }, now: Date): boolean {
  return types.isDate(expiresAt) && expiresAt <= now;
}
