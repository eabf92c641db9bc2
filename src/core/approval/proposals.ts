import { z } from "zod";
import type { MemoryActor } from "../values/actor.js";
import type { MemoryBackend } from "../backend.js";
import { invalid, MemoryError } from "../values/errors.js";
import { checkOptions, preview } from "../settings/options.js";
import { shorten } from "../values/text.js";
import { MemoryTree } from "../tree/memory-tree.js";
import { type AskedMemory, editedTo } from "./asked-change.js";
import { carryOut, finish, newToken } from "./carry-out.js";
import type { ChangeRecord, ChangeRecords, ChangeStatus, PlannedChange } from "./change-record.js";
import { maxReasonChars } from "./decision.js";
import type { MemoryProposal, MemoryProposals, Reviewer } from "./memory-proposals.js";
import { planDelete, planRename, planText } from "./plan.js";

const name = z.string().min(1).max(512);
const bySchema = z
  .object({
    userId: name,
    threadId: name.optional(),
    runId: name.optional(),
    checkpointId: name.optional(),
    toolCallId: name.optional(),
    node: name.optional(),
    agent: name.optional(),
    client: name.optional(),
  })
  .strict();
const approveSchema = z.object({ by: bySchema, content: z.string().optional() }).strict();
const rejectSchema = z.object({ by: bySchema, reason: z.string().max(maxReasonChars).optional() }).strict();
const listSchema = z.object({ status: z.enum(["pending", "applying", "approved", "rejected"]).optional() }).strict();

/** Runs a command of a memory within its time. */
export type RunOnBackend = <T>(act: "read" | "change", command: (backend: MemoryBackend) => Promise<T>) => Promise<T>;

export class RecordedProposals implements MemoryProposals {
  readonly #run: RunOnBackend;
  readonly #memory: Pick<AskedMemory, "checked" | "maxFileBytes">;

  constructor(run: RunOnBackend, memory: Pick<AskedMemory, "checked" | "maxFileBytes">) {
    this.#run = run;
    this.#memory = memory;
  }

  async *list(options: { status?: ChangeStatus } = {}): AsyncGenerator<MemoryProposal> {
    checkOptions("options of list", listSchema, options);
    const statuses = options.status === undefined ? (["pending", "applying"] as const) : [options.status];
    const records = await this.#run("read", async (backend) => recordsOf(backend));
    for await (const record of records.list("proposal", statuses)) yield proposalOf(record);
  }

  get(id: string): Promise<MemoryProposal | null> {
    return this.#run("change", async (backend) => {
      const records = recordsOf(backend);
      const record = await found(records, id);
      return record === null ? null : proposalOf(await finish(records, record));
    });
  }

  async approve(id: string, decision: { by: Reviewer; content?: string }): Promise<MemoryProposal> {
    checkOptions("decision", approveSchema, decision);
    const { by, content } = decision;
    return this.#run("change", async (backend) => {
      const records = recordsOf(backend);
      const record = await open(records, id, by);
      if (record.status === "approved") return proposalOf(record);
      if (content !== undefined && record.after === null) throw invalid(`a ${record.command} has no content`);
      const edited = content === undefined ? null : await editedTo(record, content, this.#memory);
      const decided = { decidedBy: by, decidedAt: records.now() };
      const claimed = await records.swap(
        id,
        { status: "pending" },
        { ...decided, edited, status: "applying", token: newToken(), claim: newToken() },
      );
      if (claimed === null) throw await decidedBefore(records, record);
      const made = await carryOut(records, claimed);
      if (made.status === "pending") throw await baseChanged(backend, record, this.#memory.maxFileBytes);
      // Another who carried it out may have opened it again, and a third have decided since.
      if (made.status !== "approved" || made.claim !== claimed.claim) throw await decidedBefore(records, made);
      return proposalOf(made);
    });
  }

  async reject(id: string, decision: { by: Reviewer; reason?: string }): Promise<MemoryProposal> {
    checkOptions("decision", rejectSchema, decision);
    const { by, reason = null } = decision;
    return this.#run("change", async (backend) => {
      const records = recordsOf(backend);
      const record = await open(records, id, null);
      const rejected = await records.swap(
        id,
        { status: "pending" },
        { status: "rejected", decidedBy: by, decidedAt: records.now(), reason },
      );
      if (rejected === null) throw await decidedBefore(records, record);
      return proposalOf(rejected);
    });
  }
}

function recordsOf(backend: MemoryBackend): ChangeRecords {
  const records = backend.records?.();
  if (records === undefined) throw new TypeError("this storage keeps no proposals");
  return records;
}

async function found(records: ChangeRecords, id: unknown): Promise<ChangeRecord | null> {
  if (typeof id !== "string") throw invalid(`the id of a proposal must be a text (given ${preview(id)})`);
  const record = await records.find(id);
  return record?.kind === "proposal" ? record : null;
}

/** A proposal about which nobody has decided, or one that `by` has approved and that this call has finished. */
async function open(records: ChangeRecords, id: string, by: MemoryActor | null): Promise<ChangeRecord> {
  const record = await found(records, id);
  if (record === null) throw new MemoryError("ENOENT", `ENOENT: there is no proposal ${preview(id)} of this memory`);
  const finished = await finish(records, record);
  if (finished.status === "pending") return finished;
  const isOwn =
    by !== null &&
    record.status === "applying" &&
    finished.status === "approved" &&
    finished.claim === record.claim &&
    finished.decidedBy?.userId === by.userId;
  if (isOwn) return finished;
  throw await decidedBefore(records, finished);
}

async function decidedBefore(records: ChangeRecords, record: ChangeRecord): Promise<MemoryError> {
  const { id, status, decidedBy } = (await records.find(record.id)) ?? record;
  // Its approval was given back meanwhile, because the base had changed.
  if (status === "pending")
    return new MemoryError(
      "ECONFLICT",
      `ECONFLICT: another reviewer was about to decide about the proposal ${id}; it is open again`,
    );
  const who = decidedBy?.userId === undefined ? "" : ` by ${shorten(decidedBy.userId, 64)}`;
  return new MemoryError(
    "ECONFLICT",
    `ECONFLICT: the proposal ${id} was ${status === "rejected" ? "rejected" : "approved"}${who} already`,
  );
}

async function baseChanged(backend: MemoryBackend, record: ChangeRecord, maxFileBytes: number): Promise<MemoryError> {
  const diff = await presentDiff(backend, record, maxFileBytes);
  const advice = "nothing was changed; reject it, and let it be proposed again";
  return new MemoryError(
    "ECONFLICT",
    `ECONFLICT: ${record.path} has changed since the proposal ${record.id} was made; ${advice}. It would now be:\n${diff}`,
  );
}

async function presentDiff(backend: MemoryBackend, record: ChangeRecord, maxFileBytes: number): Promise<string> {
  try {
    return (await planAgain(new MemoryTree(await backend.snapshot()), record, maxFileBytes))?.diff ?? "no change";
  } catch (error) {
    if (MemoryError.isInstance(error) && error.code !== "EIO") return error.message;
    throw error;
  }
}

async function planAgain(tree: MemoryTree, record: ChangeRecord, maxFileBytes: number): Promise<PlannedChange | null> {
  const shown = (path: string): string => path;
  const { command, path, to, content, oldContent } = record;
  if (command === "delete") return planDelete(tree, path, "delete", shown);
  if (command === "rename") return planRename(tree, path, to ?? path, shown);
  const create = command === "append" || command === "write";
  const wish = { command, path, create, maxFileBytes, contentFor: async () => content ?? "" };
  return planText(tree, oldContent === null ? wish : { ...wish, oldContent }, shown);
}

function proposalOf(record: ChangeRecord): MemoryProposal {
  const { id, status, command, path, to, oldContent, diff, base, actor, at, decidedBy, decidedAt, reason, edited } =
    record;
  const content = edited?.content ?? record.content;
  return { id, status, command, path, to, content, oldContent, diff, base, actor, at, decidedBy, decidedAt, reason };
}
