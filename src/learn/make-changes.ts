import type { MemoryProposals } from "../core/approval/memory-proposals.js";
import type { Memory } from "../core/memory.js";
import { proposeChange } from "../core/propose-change.js";
import { bindMemory } from "../core/restrictable-memory.js";
import { CallIdentity } from "../core/runtime/call-identity.js";
import type { MemoryActor } from "../core/values/actor.js";
import { baseChanged, getReason, invalid, MemoryError } from "../core/values/errors.js";
import { hashSha256 } from "../core/values/sha256.js";
import type { LearnChange } from "./plan-operations.js";
import type { LearnReport } from "./report.js";
import { getAddedText, getLowestTrust } from "./sources.js";

/** How the changes of a run are made. */
export interface LearnChangeSettings {
  actor: MemoryActor & { runId: string };
  model: string;
  signal: AbortSignal | undefined;
  proposals: MemoryProposals;
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
  for (const change of changes) {
    try {
      const id = await createId(memory, change, settings);
      await settings.checkCurrent(change);
      await makeChange(memory, change, { ...settings, id }, report);
    } catch (error) {
      if (!MemoryError.isInstance(error) || error.code === "EIO") throw error;
      report.dropped.push({ operation: toOperation(change), why: getReason(error) });
    }
  }
}

async function makeChange(
  memory: Memory,
  change: LearnChange,
  { id, actor, model, signal }: LearnChangeSettings & { id: string },
  report: LearnReport,
): Promise<void> {
  if (change.isAtOnce) {
    // Another run may add again what a person has deleted since.
    const call = new CallIdentity(hashId([actor.runId, id]));
    const run = { run: {}, signal, actor: { ...actor, toolCallId: id }, call };
    await applyTo(bindMemory(memory, { policies: [], run }), change);
    report.applied.push(change.path);
    return;
  }
  const sources = change.sources.map((source) => source.id);
  const origin = { reason: change.reasons.join("\n"), sources, trust: getLowestTrust(change.sources), model };
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

/**
 * Returns the id of a proposal. The same change of the same memory has the same id, in any run and whatever else is in
 * the file. @throws MemoryError for a change of another run that waits already, or that a person has rejected
 */
async function createId(
  { address }: Memory,
  { kind, path, to, before, after }: LearnChange,
  { actor: { runId }, proposals }: LearnChangeSettings,
): Promise<string> {
  const old = before ?? "";
  const isMove = kind === "rename" || kind === "delete";
  const texts = isMove ? [kind, to] : [getAddedText(old, after).trim(), getAddedText(after, old).trim()];
  const id = hashId([address, path, ...texts]);
  const earlier = await proposals.get(id);
  if (earlier?.status === "rejected") throw invalid("a person has rejected this change");
  if (earlier === null || earlier.actor?.runId === runId) return id;
  if (earlier.status === "approved") return hashId([runId, id]);
  throw invalid("this change waits for a person");
}

function hashId(facts: readonly unknown[]): string {
  return hashSha256(JSON.stringify(facts)).slice(0, 24);
}

function toOperation({ kind, path, to }: LearnChange): object {
  return { operation: kind, path, ...(to !== null && { to }) };
}
