import type { Memory } from "../core/memory.js";
import { editUnchanged, proposeChange } from "../core/propose-change.js";
import { bindMemory } from "../core/restrictable-memory.js";
import { CallIdentity } from "../core/runtime/call-identity.js";
import type { MemoryActor } from "../core/values/actor.js";
import { getReason, invalid, isRefusal } from "../core/values/errors.js";
import { createFactsId } from "../core/values/sha256.js";
import type { LearnedMemory } from "./learned-memory.js";
import type { LearnChange } from "./plan-operations.js";
import type { LearnReport } from "./report.js";
import { getAddedText, getLowestTrust } from "./sources.js";

/** Settings for the changes of a run. */
interface LearnChangeSettings {
  actor: MemoryActor & { runId: string };
  model: string;
  signal: AbortSignal | undefined;
  /** Throws if the lease or a source of the change is gone. Called just before the change, and again after it. */
  checkCurrent: (change: LearnChange) => Promise<void>;
}

/** Ends the whole run, so it is not a MemoryError. */
export class LostLease extends Error {
  readonly isForgotten: boolean;

  constructor(isForgotten: boolean) {
    super();
    this.isForgotten = isForgotten;
  }
}

/** Proposes changes, or makes additions at once, and reports them. A repeated run makes no change twice. */
export async function makeChanges(
  opened: LearnedMemory,
  changes: readonly LearnChange[],
  settings: LearnChangeSettings,
  report: LearnReport,
): Promise<void> {
  const { memory, proposals, history } = opened;
  for (const change of changes) {
    try {
      const id = await createId(opened, change, settings);
      await settings.checkCurrent(change);
      await makeChange(memory, change, { ...settings, id });
      // A redaction looks last for changes that rest on the version. So it finds this change, or this check finds it.
      await settings.checkCurrent(change).catch(async (error: unknown) => {
        if (isSourceGone(error))
          await (change.isAtOnce ? history?.takeBack(createCallId(id, settings)) : proposals.withdraw(id));
        throw error;
      });
      if (change.isAtOnce) report.applied.push(change.path);
      else report.proposals.push(id);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      report.dropped.push({ operation: toOperation(change), why: getReason(error) });
    }
  }
}

async function makeChange(
  memory: Memory,
  change: LearnChange,
  { id, actor, model, signal }: LearnChangeSettings & { id: string },
): Promise<void> {
  const sources = change.sources.map((source) => source.id);
  const origin = { reason: change.reasons.join("\n"), sources, trust: getLowestTrust(change.sources), model };
  if (change.isAtOnce) {
    const toolCallId = createCallId(id, { actor });
    const run = { run: {}, signal, actor: { ...actor, toolCallId }, call: new CallIdentity(toolCallId), origin };
    await applyTo(bindMemory(memory, { policies: [], run }), change);
    return;
  }
  const proposal = await proposeChange(memory, { id, actor: { ...actor, toolCallId: id }, origin }, (asking) =>
    applyTo(asking, change),
  );
  if (proposal === null) throw invalid("it changes nothing");
}

/** Whether a source is gone. False if only the lease is lost: the run that has it now makes the same change. */
function isSourceGone(error: unknown): boolean {
  if (error instanceof LostLease) return error.isForgotten;
  return isRefusal(error);
}

function applyTo(memory: Memory, { kind, path, to, before, after, added }: LearnChange): Promise<unknown> {
  switch (kind) {
    case "append":
      return memory.append(path, added, { lineEnds: "file" });
    case "write":
      return memory.write(path, after, { ifExists: "fail" });
    case "edit":
      return editUnchanged(memory, path, before, after);
    case "rename":
      return memory.rename(path, to ?? "");
    case "delete":
      return memory.delete(path, { ifDirectory: "fail" });
  }
}

/**
 * Returns the id of a proposal. The same change of the same memory has the same id, in every run and with every other
 * text of the file. @throws MemoryError for a change of another run that still waits, or that a person has rejected
 */
async function createId(
  { memory: { address }, proposals }: LearnedMemory,
  { kind, path, to, before, after }: LearnChange,
  settings: LearnChangeSettings,
): Promise<string> {
  const old = before ?? "";
  const isMove = kind === "rename" || kind === "delete";
  const texts = isMove ? [kind, to] : [getAddedText(old, after).trim(), getAddedText(after, old).trim()];
  const id = createFactsId([address, path, ...texts]);
  const earlier = await proposals.get(id);
  if (earlier?.status === "rejected") throw invalid("a person has rejected this change");
  if (earlier === null || earlier.actor?.runId === settings.actor.runId) return id;
  if (earlier.status === "approved") return createCallId(id, settings);
  throw invalid("this change waits for a person");
}

/** The id differs in each run. Reason: a later run may add a text again that a person has deleted since. */
function createCallId(id: string, { actor: { runId } }: Pick<LearnChangeSettings, "actor">): string {
  return createFactsId([runId, id]);
}

function toOperation({ kind, path, to }: LearnChange): object {
  return { operation: kind, path, ...(to !== null && { to }) };
}
