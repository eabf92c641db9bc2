import type { CheckedAddress } from "../../../../core/values/address.js";
import { MemoryError } from "../../../../core/values/errors.js";
import { type CallContext, createUnlimitedCall } from "../../../../core/runtime/call.js";
import type { Change, ChangeResult } from "../../../../core/tree/change.js";
import { hasNoEdits, type MemoryTree } from "../../../../core/tree/memory-tree.js";
import { ROOT } from "../../../../core/values/paths.js";
import { inTransaction } from "../../../driver/transactions.js";
import { transactionError } from "../../transaction-errors.js";
import type {
  Applied,
  AttemptSettings,
  StorageMoment,
  StorageScope,
  TreeStorage,
} from "../../contract/tree-storage.js";
import { attemptChange, readText } from "./attempts.js";
import { getMemoryKey } from "../documents.js";
import { type FilesContext, refuseElsewhere } from "../files-context.js";
import { LoadedTree } from "./loaded-tree.js";
import { FilesExpiry } from "../files-expiry.js";
import type { MadeChanges, Outcome, QueuedChange } from "./queue.js";
import { prolong, retain } from "./versions.js";
import { ChangeTransaction } from "./change-transaction.js";

/**
 * One memory as a document for each file and directory (ADR 0021). `attempt` is one command on one file. Everything
 * else is a transaction: it loads what the changes name, applies the changes to a tree, and stores the difference (ADR
 * 0032).
 */
export class FilesStorage implements TreeStorage {
  readonly #context: FilesContext;
  readonly #address: CheckedAddress;
  readonly #key: string;
  readonly #expiry: FilesExpiry;

  constructor(context: FilesContext, address: CheckedAddress) {
    this.#context = context;
    this.#address = address;
    this.#key = getMemoryKey(address);
    this.#expiry = new FilesExpiry(context, address);
  }

  /** If there is a history or a limit of the memory, a change needs a transaction. */
  async attempt(change: Change, settings: AttemptSettings, call: CallContext): Promise<ChangeResult | null> {
    const { history, maxMemoryBytes } = this.#context;
    const isLimited = maxMemoryBytes !== undefined && change.type !== "delete";
    if (history !== null || isLimited || change.path === ROOT) return null;
    const context = this.#context;
    const expiry = this.#expiry;
    let before: string | null = null;
    if (change.type === "edit") {
      before = await writing(context, async () =>
        (await expiry.isPresent(call)) ? readText(context, this.#key, change.path, call) : null,
      );
      if (before === null) return null;
    }
    const attempted = attemptChange(this.#key, change, settings, before);
    if (attempted === null) return null;
    return writing(context, async () => {
      if (!(await expiry.isPresent(call))) return null;
      const result = await attempted(context.collection, call);
      const isChanged = result !== null && (change.type !== "update" || result.replaced > 0);
      if (isChanged) await expiry.afterChange(change.type !== "delete", call);
      return result;
    });
  }

  /**
   * Changes of directories run beside the queue if no history needs their texts, so that a long change does not delay
   * others.
   */
  async transact<Result>(
    scope: StorageScope,
    apply: (tree: MemoryTree, moment: StorageMoment) => Applied<Result> | Promise<Applied<Result>>,
    call: CallContext,
  ): Promise<Result> {
    const { changes, history, maxMemoryBytes } = this.#context;
    const expiry = this.#expiry;
    const last: { applied?: Applied<Result> } = {};
    const change: QueuedChange = {
      scope,
      actor: call.actor,
      maxMemoryBytes,
      apply: async (tree, moment) => {
        last.applied = await apply(tree, moment);
        return last.applied.edits;
      },
    };
    const runsAlone = history === null && scope.below.length > 0 && scope.needsTexts !== true;
    const outcome = await writing(this.#context, async (): Promise<Outcome> => {
      if (!(await expiry.isPresent(call))) {
        const refused = await this.#applyToNothing(change);
        if (refused !== null) return refused;
        await expiry.remove(call);
      }
      const [made = {}] = runsAlone
        ? (await this.#make([change], call)).outcomes
        : [await changes.run(this.#key, change, call, (some, shared) => this.#make(some, shared))];
      const edits = last.applied?.edits;
      if (made.refusal === undefined && edits !== undefined && !hasNoEdits(edits))
        await expiry.afterChange(history !== null || edits.files.length + edits.directories.length > 0, call);
      return made;
    });
    if ("refusal" in outcome) throw outcome.refusal;
    if (last.applied === undefined) throw new MemoryError("EIO", "EIO: the change was not made");
    return last.applied.result;
  }

  /** Makes the change on an expired memory, which counts as empty. Null if the change creates something. */
  async #applyToNothing(change: QueuedChange): Promise<Outcome | null> {
    const context = this.#context;
    refuseElsewhere(context, null);
    try {
      return hasNoEdits(await change.apply(new LoadedTree(new Map(), null), { at: context.clock(), isApplied: false }))
        ? {}
        : null;
    } catch (refusal) {
      return { refusal };
    }
  }

  async #make(changes: readonly QueuedChange[], call: CallContext): Promise<MadeChanges> {
    const context = this.#context;
    const made = await inTransaction(context.transactions, call, (session) =>
      new ChangeTransaction(context, this.#address, session, call).run(changes),
    );
    const { outcomes, history, revision } = made;
    if (history !== null) await prolong(context, this.#address, history, call);
    const afterwards = async (): Promise<void> => {
      if (history !== null) await retain(context.versions, history, revision, createUnlimitedCall());
    };
    return { outcomes, afterwards };
  }
}

/** Runs commands that change something. Explains errors of a transaction that is too much for the server. */
export async function writing<T>(context: FilesContext, write: () => Promise<T>): Promise<T> {
  try {
    await context.ready();
    return await write();
  } catch (error) {
    throw MemoryError.isInstance(error) ? error : transactionError(error);
  }
}
