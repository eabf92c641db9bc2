import type { CallContext } from "../../../../core/runtime/call.js";
import type { CheckedAddress } from "../../../../core/values/address.js";
import { MemoryError } from "../../../../core/values/errors.js";
import { findHead } from "../load.js";
import { getIncarnation } from "../page-document.js";
import { lookUpIncarnation } from "../page-target.js";
import type { PagesContext } from "../pages-context.js";
import { dueFlush, type OutboxState } from "./outbox.js";
import { moveVersions, OutboxSource } from "./outbox-source.js";

/** How often a change may be too large for a head without other recorded changes. */
const maxTooLargeAlone = 5;

/** Keeps the recorded changes in the head of one memory few. */
export class OutboxUpkeep {
  readonly #context: PagesContext;
  readonly #address: CheckedAddress;

  constructor(context: PagesContext, address: CheckedAddress) {
    this.#context = context;
    this.#address = address;
  }

  /**
   * Moves recorded changes if there are many. Errors are ignored because the change is made: a later change tries
   * again.
   */
  async keepSmall(state: OutboxState, call: CallContext): Promise<void> {
    try {
      const due = dueFlush(state);
      const moving = due === "none" ? undefined : moveVersions(this.#context, this.#address, call);
      if (due === "behind") moving?.catch(() => undefined);
      else await moving;
      if (state.versionsExpireAt !== undefined) await this.#prolongVersions(state.versionsExpireAt, call);
    } catch {
      // Nothing is lost: recorded changes stay in the document.
    }
  }

  /** Prolongs the versions, which must outlive the memory. */
  async #prolongVersions(versionsExpireAt: Date, call: CallContext): Promise<void> {
    const { clock, expiry, history, versions, collection } = this.#context;
    const until = expiry.versionsExpireAt(this.#address.scope, clock());
    if (history === null || until === null || versionsExpireAt >= until.latest) return;
    const head = await findHead(this.#context, this.#address, { key: 1 }, {}, call);
    if (head === null) return;
    await versions.prolong(getIncarnation(head), until.expiresAt, call);
    await collection.updateOne(lookUpIncarnation(head), { $set: { versionsExpireAt: until.expiresAt } }, {}, call);
  }

  /**
   * Moves the recorded changes out of the head, beside which a change was too large.
   * @param timesAlone how often there were none. Another process may have moved them just before.
   * @throws MemoryError ENOSPC if the change is too large alone
   */
  async makeRoom(error: unknown, timesAlone: number, call: CallContext): Promise<number> {
    const projection = { outbox: { $slice: ["$outbox", 1] } };
    const head = await findHead(this.#context, this.#address, projection, {}, call);
    if ((head?.outbox ?? []).length > 0) {
      await new OutboxSource(this.#context, this.#address).flush(call);
      return timesAlone;
    }
    if (timesAlone + 1 === maxTooLargeAlone) throw tooMuchAtOnce(error);
    return timesAlone + 1;
  }
}

function tooMuchAtOnce(cause: unknown): MemoryError {
  const message =
    "ENOSPC: the memory and the texts that the change replaces, which its history keeps, are larger together than " +
    "MongoDB takes a document; change less at once";
  return new MemoryError("ENOSPC", message, { cause });
}
