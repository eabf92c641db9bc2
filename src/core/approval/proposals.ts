import { z } from "zod";
import type { MemoryActor } from "../values/actor.js";
import type { Guards } from "../access/guard-change.js";
import type { MemoryBackend } from "../contract/backend.js";
import type { Call } from "../runtime/call.js";
import { invalid, MemoryError } from "../values/errors.js";
import { checkOptions } from "../settings/check-options.js";
import { preview } from "../values/preview.js";
import { shorten } from "../values/text.js";
import { MemoryTree } from "../tree/memory-tree.js";
import { carryOut, finish, newToken } from "./carry-out.js";
import type { ChangeRecord, ChangeRecords, ChangeStatus } from "../contract/change-record.js";
import { maxReasonChars } from "./decision.js";
import type { MemoryProposal, MemoryProposals, Reviewer } from "./memory-proposals.js";
import { createRecordedChange, planChange } from "./plan-change.js";
import { editContent } from "./request-approval.js";

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

/** Runs a call of the memory. */
export type RunProposalCall = <T>(stage: "read" | "change", run: (call: Call) => Promise<T>) => Promise<T>;

export class RecordedProposals implements MemoryProposals {
  readonly #run: RunProposalCall;
  readonly #memory: Guards & { readonly backend: MemoryBackend };

  constructor(memory: Guards & { readonly backend: MemoryBackend }, run: RunProposalCall) {
    this.#run = run;
    this.#memory = memory;
  }

  async *list(options: { status?: ChangeStatus } = {}): AsyncGenerator<MemoryProposal> {
    checkOptions("options of list", listSchema, options);
    const statuses = options.status === undefined ? (["pending", "applying"] as const) : [options.status];
    const records = await this.#run("read", async (call) => this.#records(call));
    for await (const record of records.list("proposal", statuses)) yield proposalOf(record);
  }

  get(id: string): Promise<MemoryProposal | null> {
    return this.#run("change", async (call) => {
      const records = this.#records(call);
      const record = await found(records, id);
      return record === null ? null : proposalOf(await finish(records, record));
    });
  }

  async approve(id: string, decision: { by: Reviewer; content?: string }): Promise<MemoryProposal> {
    checkOptions("decision", approveSchema, decision);
    const { by, content } = decision;
    return this.#run("change", async (call) => {
      const records = this.#records(call);
      const record = await open(records, id, by);
      if (record.status === "approved") return proposalOf(record);
      if (content !== undefined && record.after === null) throw invalid(`a ${record.command} has no content`);
      const edited = content === undefined ? null : await editContent(this.#memory, record, content, call);
      const decided = { decidedBy: by, decidedAt: records.now() };
      const claimed = await records.swap(
        id,
        { status: "pending" },
        { ...decided, edited, status: "applying", token: newToken(), claim: newToken() },
      );
      if (claimed === null) throw await decidedBefore(records, record);
      const made = await carryOut(records, claimed);
      if (made.status === "pending") throw await baseChanged(this.#memory, record, call);
      // Another who carried it out may have opened it again, and a third have decided since.
      if (made.status !== "approved" || made.claim !== claimed.claim) throw await decidedBefore(records, made);
      return proposalOf(made);
    });
  }

  async reject(id: string, decision: { by: Reviewer; reason?: string }): Promise<MemoryProposal> {
    checkOptions("decision", rejectSchema, decision);
    const { by, reason = null } = decision;
    return this.#run("change", async (call) => {
      const records = this.#records(call);
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

  #records(call: Call): ChangeRecords {
    const records = this.#memory.backend.features?.approvals?.(call);
    if (records === undefined) throw new TypeError("this storage keeps no proposals");
    return records;
  }
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

async function baseChanged(
  memory: Guards & { readonly backend: MemoryBackend },
  record: ChangeRecord,
  call: Call,
): Promise<MemoryError> {
  const diff = await describePresentChange(memory, record, call);
  const advice = "nothing was changed; reject it, and let it be proposed again";
  return new MemoryError(
    "ECONFLICT",
    `ECONFLICT: ${record.path} has changed since the proposal ${record.id} was made; ${advice}. It would now be:\n${diff}`,
  );
}

/** The diff of the change as it would be made now, or why it would be refused. */
async function describePresentChange(
  { backend, options }: Guards & { readonly backend: MemoryBackend },
  record: ChangeRecord,
  call: Call,
): Promise<string> {
  const { maxFileBytes } = options;
  try {
    const tree = new MemoryTree(await backend.snapshot(call));
    const planned = await planChange(tree, createRecordedChange(record), { maxFileBytes, showPath: (path) => path });
    return planned?.diff ?? "no change";
  } catch (error) {
    if (MemoryError.isInstance(error) && error.code !== "EIO") return error.message;
    throw error;
  }
}

function proposalOf(record: ChangeRecord): MemoryProposal {
  const { id, status, command, path, to, oldContent, diff, base, actor, at, decidedBy, decidedAt, reason, edited } =
    record;
  const content = edited?.content ?? record.content;
  return { id, status, command, path, to, content, oldContent, diff, base, actor, at, decidedBy, decidedAt, reason };
}
