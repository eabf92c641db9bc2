import type { MemoryProposal } from "../core/approval/memory-proposals.js";
import type { Memory } from "../core/memory.js";
import { proposeChange } from "../core/propose-change.js";
import { bindMemory } from "../core/restrictable-memory.js";
import { CallIdentity } from "../core/runtime/call-identity.js";
import type { MemoryActor } from "../core/values/actor.js";
import { baseChanged, getReason, invalid, MemoryError } from "../core/values/errors.js";
import { hashSha256 } from "../core/values/sha256.js";
import type { LearnChange } from "./plan-operations.js";
import type { LearnReport } from "./report.js";
import { getLowestTrust } from "./sources.js";

/** How the changes of a run are made. */
export interface LearnChangeSettings {
  actor: MemoryActor & { runId: string };
  model: string;
  apply: "propose" | "append-only";
  signal: AbortSignal | undefined;
  /** The proposals of earlier runs that wait or were rejected. */
  earlier: readonly MemoryProposal[];
  /** Throws if the change must not be made any more. Called just before it, and again after it. */
  checkCurrent: (change: LearnChange) => Promise<void>;
  /** Removes a proposal. */
  withdraw: (id: string) => Promise<void>;
}

/** No MemoryError, so that it ends the whole run. */
export class LostLease extends Error {
  readonly isForgotten: boolean;

  constructor(isForgotten: boolean) {
    super();
    this.isForgotten = isForgotten;
  }
}

/** Proposes changes, or makes additions at once, and reports them. A repeated run makes nothing twice. */
export async function makeChanges(
  memory: Memory,
  changes: readonly LearnChange[],
  settings: LearnChangeSettings,
  report: LearnReport,
): Promise<void> {
  for (const [number, change] of changes.entries()) {
    const id = createId(change, number, settings);
    try {
      assertNew(change, settings);
      await settings.checkCurrent(change);
      const isProposed = await makeChange(memory, change, { ...settings, id });
      // A redaction looks for what rests on it last, so either it finds this change, or this check finds the redaction.
      await settings.checkCurrent(change).catch(async (error: unknown) => {
        if (isSourceGone(error)) await (isProposed ? settings.withdraw(id) : takeBack(memory, id));
        throw error;
      });
      if (isProposed) report.proposals.push(id);
      else report.applied.push(change.path);
    } catch (error) {
      if (!MemoryError.isInstance(error) || error.code === "EIO") throw error;
      report.dropped.push({ operation: toOperation(change), why: getReason(error) });
    }
  }
}

/** @returns whether it is proposed; otherwise it is made */
async function makeChange(
  memory: Memory,
  change: LearnChange,
  { id, actor, model, apply, signal }: LearnChangeSettings & { id: string },
): Promise<boolean> {
  const sources = change.sources.map((source) => source.id);
  const origin = { reason: change.reasons.join("\n"), sources, trust: getLowestTrust(change.sources), model };
  const isAddition = change.kind === "append" || change.kind === "write";
  if (apply === "append-only" && isAddition && memory.rights?.accessAt?.(change.path) !== "ask") {
    const run = { run: {}, signal, actor: { ...actor, toolCallId: id }, call: new CallIdentity(id), origin };
    await applyTo(bindMemory(memory, { policies: [], run }), change);
    return false;
  }
  const proposal = await proposeChange(memory, { id, actor: { ...actor, toolCallId: id }, origin }, (asking) =>
    applyTo(asking, change),
  );
  if (proposal === null) throw invalid("it changes nothing");
  return true;
}

/** Whether a source went while the change was made. Another run that took over makes the same change. */
function isSourceGone(error: unknown): boolean {
  if (error instanceof LostLease) return error.isForgotten;
  return MemoryError.isInstance(error) && error.code !== "EIO";
}

/** Undoes an addition, and redacts its text. */
async function takeBack({ history }: Memory, toolCallId: string): Promise<void> {
  if (history === null) return;
  const made: string[] = [];
  for await (const { id } of history.list({ actor: { toolCallId } })) made.push(id);
  await history.revert({ toolCallId });
  await history.redact(made);
}

function applyTo(memory: Memory, { kind, path, to, before, after, added }: LearnChange): Promise<unknown> {
  switch (kind) {
    case "append":
      return memory.append(path, added, { lineEnds: "file" });
    case "write":
      return memory.write(path, after, { ifExists: "fail" });
    case "edit":
      return memory.edit(path, (text) => {
        if (text !== before) throw baseChanged();
        return after;
      });
    case "rename":
      return memory.rename(path, to ?? "");
    case "delete":
      return memory.delete(path, { ifDirectory: "fail" });
  }
}

/** @throws MemoryError for a change that waits already, or that a person has rejected */
function assertNew({ kind, path, to, after, added }: LearnChange, { earlier }: LearnChangeSettings): void {
  const content = { append: added, edit: after, write: after, rename: null, delete: null }[kind];
  const same = earlier.find(
    (proposal) =>
      proposal.command === kind && proposal.path === path && proposal.to === to && proposal.content === content,
  );
  if (same !== undefined)
    throw invalid(same.status === "rejected" ? "a person has rejected this change" : "this change waits for a person");
}

function createId({ kind, path, to, after }: LearnChange, number: number, { actor }: LearnChangeSettings): string {
  return hashSha256(JSON.stringify([actor.runId, number, kind, path, to, after])).slice(0, 24);
}

function toOperation({ kind, path, to }: LearnChange): object {
  return { operation: kind, path, ...(to !== null && { to }) };
}
