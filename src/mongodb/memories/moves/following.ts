import type { CheckedAddress } from "../../../core/values/address.js";
import { lostRace, maxAttempts, pause } from "../../../core/runtime/lost-race.js";
import type { CallContext } from "../../../core/runtime/call.js";
import { reading } from "../../driver/reads.js";
import { inTransaction, type TransactionSettings } from "../../driver/transactions.js";
import type { KnownMoves } from "./known-moves.js";
import type { KeptLayout } from "../contract/layout.js";
import { reasonToFollow } from "./moved-memory.js";

/** The layout that has a memory: the layout of the store, the other one, or, for reads, neither. */
export type LayoutPlace = "home" | "other" | "nowhere";

export interface Layouts {
  home: KeptLayout;
  /** Opened when the first moved memory is found. Creates no memories. */
  other: () => KeptLayout;
  /** The other layout, but a missing memory reads as empty. */
  otherOrEmpty: () => KeptLayout;
}

/**
 * Runs calls on the layout that keeps a memory, and follows the forwarding records of moves (ADR 0025). A memory that
 * never moved costs no additional command.
 */
export class Following {
  readonly #layouts: Layouts;
  readonly #known: KnownMoves;
  readonly #transactions: TransactionSettings;

  constructor(layouts: Layouts, known: KnownMoves, transactions: TransactionSettings) {
    this.#layouts = layouts;
    this.#known = known;
    this.#transactions = transactions;
  }

  get home(): KeptLayout {
    return this.#layouts.home;
  }

  get other(): KeptLayout {
    return this.#layouts.other();
  }

  at(place: LayoutPlace): KeptLayout {
    if (place === "home") return this.#layouts.home;
    return place === "other" ? this.#layouts.other() : this.#layouts.otherOrEmpty();
  }

  /** Returns where the memory was found last. */
  getLastPlace(address: CheckedAddress): "home" | "other" {
    return this.#known.has(address) ? "other" : "home";
  }

  /**
   * @param act "read": nothing is changed, and a memory in neither layout is read as empty. `run` may run again after
   * it has changed nothing
   */
  async run<T>(
    address: CheckedAddress,
    act: "read" | "change",
    run: (place: LayoutPlace) => Promise<T>,
    call: CallContext,
  ): Promise<T> {
    let place: LayoutPlace = this.getLastPlace(address);
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      try {
        return await run(place);
      } catch (error) {
        const reason = reasonToFollow(error);
        if (reason === null) throw error;
        call.throwIfAborted();
        if (reason === "missing") place = await this.#find(address, act, call);
        else place = place === "home" ? "other" : "home";
        this.#known.set(address, place === "other");
      }
      if (attempt > 0) await pause(attempt);
    }
    throw lostRace();
  }

  /**
   * Searches both layouts in one snapshot. Before a change, the forwarding record of a removed memory is removed too,
   * so that a new memory is created at home.
   */
  #find(address: CheckedAddress, act: "read" | "change", call: CallContext): Promise<LayoutPlace> {
    const { home, other } = this;
    return reading(async () => {
      if (act === "change") await other.beforeMove(address, call);
      return inTransaction<LayoutPlace>(this.#transactions, call, async (session) => {
        if ((await home.lookFor(address, session, call)) !== "mark") return "home";
        if ((await other.lookFor(address, session, call)) !== "nothing") return "other";
        if (act === "read") return "nowhere";
        await home.removeMark(address, session, call);
        return "home";
      });
    });
  }

  /** Removes the forwarding record of a memory that is in neither layout. @returns what is at the address afterwards */
  removeMark(
    address: CheckedAddress,
    [marked, other]: readonly [KeptLayout, KeptLayout],
    call: CallContext,
  ): Promise<"memory" | "mark" | "nothing"> {
    return reading(() =>
      inTransaction(this.#transactions, call, async (session) => {
        const found = await marked.lookFor(address, session, call);
        if (found !== "mark" || (await other.lookFor(address, session, call)) !== "nothing") return found;
        await marked.removeMark(address, session, call);
        return "nothing";
      }),
    );
  }

  /** Moves a memory in one transaction. A crash leaves no part of it. */
  async move(
    address: CheckedAddress,
    [from, to]: readonly [KeptLayout, KeptLayout],
    call: CallContext,
  ): Promise<boolean> {
    for (const layout of [from, to]) await layout.beforeMove(address, call);
    const isMoved = await inTransaction(this.#transactions, call, async (session) => {
      const memory = await from.leave(address, session, to.maxArrivingBytes, call);
      if (memory !== null) await to.arrive(address, memory, session, call);
      return memory !== null;
    });
    if (isMoved) this.#known.set(address, to !== this.home);
    return isMoved;
  }
}
