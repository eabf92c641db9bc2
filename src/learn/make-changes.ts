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
  /** Throws if the change must not be made any more. Called just before it. */
  checkCurrent: (change: LearnChange) => Promise<void>;
}

/** Proposes changes, or makes additions at once, and reports them. A repeated run makes nothing twice. */
export async function makeChanges(
  memory: Memory,
  changes: readonly LearnChange[],
  settings: LearnChangeSettings,
  report: LearnReport,
): Promise<void> {
  for (const [number, change] of changes.entries()) {
    try {
      assertNew(change, settings);
      await settings.checkCurrent(change);
      await makeChange(memory, change, { ...settings, id: createId(change, number, settings) }, report);
    } catch (error) {
      if (!MemoryError.isInstance(error) || error.code === "EIO") throw error;
      report.dropped.push({ operation: toOperation(change), why: getReason(error) });
    }
  }
}

async function makeChange(
  memory: Memory,
  change: LearnChange,
  { id, actor, model, apply, signal }: LearnChangeSettings & { id: string },
  report: LearnReport,
): Promise<void> {
  const sources = change.sources.map((source) => source.id);
  const origin = { reason: change.reasons.join("\n"), sources, trust: getLowestTrust(change.sources), model };
  const isAddition = change.kind === "append" || change.kind === "write";
  if (apply === "append-only" && isAddition && memory.rights?.accessAt?.(change.path) !== "ask") {
    const run = { run: {}, signal, actor: { ...actor, toolCallId: id }, call: new CallIdentity(id), origin };
    await applyTo(bindMemory(memory, { policies: [], run }), change);
    report.applied.push(change.path);
    return;
  }
  const proposal = await proposeChange(memory, { id, actor: { ...actor, toolCallId: id }, origin }, (asking) =>
    applyTo(asking, change),
  );
  if (proposal === null) throw invalid("it changes nothing");
  report.proposals.push(proposal);
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
