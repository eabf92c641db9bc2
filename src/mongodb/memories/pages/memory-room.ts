import type { CallContext } from "../../../core/runtime/call.js";
import { MemoryTree, type TreeEdits } from "../../../core/tree/memory-tree.js";
import type { CheckedAddress } from "../../../core/values/address.js";
import { memoryFull, MemoryError } from "../../../core/values/errors.js";
import { reading } from "../../driver/reads.js";
import type { MemoryLimits } from "../contract/layout.js";
import { type ChangeParts, noChange, receiptBytes } from "./change-pipeline.js";
import { listPages } from "./known-pages.js";
import type { LoadedPage, LoadedPages } from "./load.js";
import { getIncarnation, newMemoryBytes } from "./page-document.js";
import type { PageWrites } from "./page-writes.js";
import type { PagesContext } from "./pages-context.js";
import { measureContent, repartition } from "./repartition.js";

/** Refuses changes after which a memory would exceed its limit. Every method throws ENOSPC. */
export class MemoryRoom {
  readonly #context: PagesContext;
  readonly #address: CheckedAddress;
  readonly #limits: MemoryLimits;
  readonly #writes: PageWrites;

  constructor(context: PagesContext, address: CheckedAddress, limits: MemoryLimits, writes: PageWrites) {
    this.#context = context;
    this.#address = address;
    this.#limits = limits;
    this.#writes = writes;
  }

  /** Refuses the first change of a memory that would exceed its limit, before a head is created. */
  async checkNew(tree: MemoryTree, edits: TreeEdits, call: CallContext): Promise<void> {
    const pages = repartition([{}], tree, edits, this.#context.pageBytes);
    if (pages.length > 1 && this.#limits.isLimited !== true) return;
    await this.checkHead(undefined, edits, { ...noChange, growth: Infinity }, call);
  }

  /** Checks a change of a memory that is its head alone. */
  async checkHead(
    page: LoadedPage | undefined,
    edits: TreeEdits,
    parts: ChangeParts,
    call: CallContext,
  ): Promise<void> {
    const { maxMemoryBytes } = this.#limits;
    const growth = Number(parts.growth);
    const sizeBytes = page?.measuredBytes ?? 0;
    const most = page === undefined ? newMemoryBytes(this.#address, edits.files) : sizeBytes + growth + receiptBytes;
    if (most <= maxMemoryBytes || growth === 0) return;
    const now = this.#context.clock();
    const measured = page === undefined ? null : await this.#writes.measure(parts, { at: now, createdAt: now }, call);
    const after = measured ?? most;
    if (after > Math.max(maxMemoryBytes, sizeBytes)) throw this.#createError(after);
  }

  /** Only a limit that the caller has set holds for a memory of several pages. */
  async checkPages({ tree, head }: LoadedPages, edits: TreeEdits, call: CallContext): Promise<void> {
    const { maxMemoryBytes, isLimited } = this.#limits;
    if (isLimited !== true || head === undefined) return;
    const growth = getGrowth(tree, edits);
    if (growth === 0) return;
    const others = await reading(() => listPages(this.#context, this.#address, getIncarnation(head), {}, call));
    const beforeBytes = others.reduce((sum, { sizeBytes }) => sum + sizeBytes, head.measuredBytes ?? 0);
    if (beforeBytes + growth > maxMemoryBytes) throw memoryFull(beforeBytes + growth, maxMemoryBytes);
  }

  /** On a standalone server the error also says where memories have no limit. */
  #createError(sizeBytes: number): MemoryError {
    const error = memoryFull(sizeBytes, this.#limits.maxMemoryBytes);
    if (this.#limits.isLimited === true || this.#context.server.hasTransactions !== false) return error;
    const reason = "a standalone server keeps a memory in one document, and a replica set has no such limit";
    return new MemoryError("ENOSPC", `${error.message}; ${reason}`);
  }
}

/** Returns how many bytes edits add to the content of a memory. 0 if they add none. */
export function getGrowth(tree: MemoryTree, edits: TreeEdits): number {
  const after = new MemoryTree(tree.snapshot());
  after.commit(edits);
  return Math.max(0, measureContent(after.snapshot()) - measureContent(tree.snapshot()));
}
