import { type MemoryScope, memoryScopes } from "../../../core/values/address.js";
import type { TtlIndex } from "../../driver/ttl-indexes.js";

/**
 * The lifetime of a memory after its last change, in whole ms from 1 to ten years. Memories of an omitted scope never
 * expire.
 */
export interface ExpireMsOptions {
  /** Memories of threads. @default none: never */
  perThread?: number;
  /** Memories of users. @default none: never */
  perUser?: number;
  /** Memories of nodes. @default none: never */
  global?: number;
}

/** Computes when unchanged memories expire. */
export class MemoryExpiry {
  readonly #expireMs: ExpireMsOptions;
  readonly #clock: () => Date;
  #lifetimes: ExpireMsOptions;

  constructor(expireMs: ExpireMsOptions, clock: () => Date) {
    this.#expireMs = expireMs;
    this.#clock = clock;
    this.#lifetimes = expireMs;
  }

  /**
   * Sets the lifetimes of the program that owns the memories. Versions and vectors that this program stores then
   * expire with their memory. `deadline` stays as it is.
   */
  goBy(lifetimes: ExpireMsOptions): void {
    this.#lifetimes = lifetimes;
  }

  /** Returns how long a memory of this scope is kept without a change. Null: for ever. */
  lifetimeMs(scope: MemoryScope): number | null {
    return this.#lifetimes[scope] ?? null;
  }

  /** A memory whose last change is at or before the deadline has expired. Null: memories of this scope never expire. */
  deadline(scope: MemoryScope): Date | null {
    const expireMs = this.#expireMs[scope];
    return expireMs === undefined ? null : new Date(this.#clock().getTime() - expireMs);
  }

  /**
   * Returns how long to keep the versions of a memory that changes now. Versions must outlive the memory. Moving the
   * time of all versions costs a command, so it is moved seldom, and further than needed.
   * @returns null if the memory never expires. `latest`: an expiry time at or after this stays as it is
   */
  versionsExpireAt(scope: MemoryScope): { latest: Date; expiresAt: Date } | null {
    const expireMs = this.#lifetimes[scope];
    if (expireMs === undefined) return null;
    const now = this.#clock().getTime();
    return { latest: new Date(now + expireMs), expiresAt: new Date(now + 2 * expireMs) };
  }
}

/**
 * Returns a filter that leaves out expired memories of one page. Whether one of several has expired, only all its pages
 * can show: see `isExpired`. Memories without a time of the last change stay until they are changed.
 */
export function mayBePresent(deadline: Date | null): { $nor?: object[] } {
  return deadline === null ? {} : { $nor: [{ hi: null, updatedAt: { $lte: deadline } }] };
}

const expiryIndexNames = {
  global: "expire_global",
  perThread: "expire_per_thread",
  perUser: "expire_per_user",
} as const satisfies Record<MemoryScope, string>;

/**
 * Returns the indexes by which MongoDB deletes expired documents with addresses. They are partial by type, so that the
 * server never considers them for the look-up of an address.
 */
export function expiryIndexes(expireMs: ExpireMsOptions, isPart: object = {}): TtlIndex[] {
  return memoryScopes.flatMap((scope) => {
    const { [scope]: lifetimeMs } = expireMs;
    if (lifetimeMs === undefined) return [];
    const partialFilterExpression = { scope, nodeId: { $type: "string" }, ...isPart };
    return [
      {
        name: expiryIndexNames[scope],
        key: { updatedAt: 1 },
        partialFilterExpression,
        expireAfterSeconds: Math.ceil(lifetimeMs / 1000),
      },
    ];
  });
}
