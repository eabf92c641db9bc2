import type { MemoryScope } from "../../core/values/address.js";

/**
 * How long a memory lives after its last change, in whole ms from 1 to ten years. Memories of a scope that you leave
 * out never expire.
 */
export interface ExpireMsOptions {
  /** Memories of threads. @default none: never */
  perThread?: number;
  /** Memories of users. @default none: never */
  perUser?: number;
  /** Memories of nodes. @default none: never */
  global?: number;
}

/** When memories are gone that nobody changes. */
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
   * How long the program that owns the memories keeps them. What this one stores beside a memory goes with it, and
   * `deadline` stays as it is.
   */
  goBy(lifetimes: ExpireMsOptions): void {
    this.#lifetimes = lifetimes;
  }

  /** How long a memory of this scope is kept that nobody changes. Null: for ever. */
  lifetimeMs(scope: MemoryScope): number | null {
    return this.#lifetimes[scope] ?? null;
  }

  /** A memory that was last changed then or before is gone now. Null: memories of this scope stay. */
  deadline(scope: MemoryScope): Date | null {
    const expireMs = this.#expireMs[scope];
    return expireMs === undefined ? null : new Date(this.#clock().getTime() - expireMs);
  }

  /**
   * Until when versions of a memory of this scope are kept that is changed now. They must outlive the memory, and to
   * move the time of all costs a command; so it is moved seldom, and further than needed.
   * @returns null where the memory stays. `latest`: what is kept until then stays as it is
   */
  versionsExpireAt(scope: MemoryScope, now: Date): { latest: Date; expiresAt: Date } | null {
    const expireMs = this.#lifetimes[scope];
    if (expireMs === undefined) return null;
    return { latest: new Date(now.getTime() + expireMs), expiresAt: new Date(now.getTime() + 2 * expireMs) };
  }
}

/** Finds what has not expired. Also what has no time of its last change, which stays until it is changed. */
export function notExpired(deadline: Date | null): { updatedAt?: object } {
  return deadline === null ? {} : { updatedAt: { $not: { $lte: deadline } } };
}
