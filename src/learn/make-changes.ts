import type { Memory } from "../core/memory.js";
import { editUnchanged, type ProgramProposal, proposeChange } from "../core/propose-change.js";
import { bindMemory } from "../core/bind-memory.js";
import { CallIdentity } from "../core/runtime/call-identity.js";
import type { MemoryActor } from "../core/values/actor.js";
import { getReason, invalid, isRefusal } from "../core/values/errors.js";
import { createFactsId } from "../core/values/sha256.js";
import type { LearnedMemory } from "./learned-memory.js";
import type { DroppedOperation } from "./operation.js";
import type { LearnChange, OperationPlan } from "./plan-operations.js";
import type { LearnReport } from "./report.js";
import { getAddedText, getLowestTrust } from "./sources.js";

/** Settings for the changes of a run. */
interface LearnChangeSettings {
  actor: MemoryActor & { runId: string };
  /** A random text of the memory, so that nobody can guess a short text by the id of its proposal. */
  salt: string;
  model: string;
  signal: AbortSignal | undefined;
  /** Throws if a source of the change is gone, or if another run has read the same texts. Called just before the change, and again after it. */
  checkCurrent: (change: LearnChange) => Promise<void>;
}

/** Ends the whole run, so it is not a MemoryError. */
export class StaleRun extends Error {
  readonly isForgotten: boolean;

  constructor(isForgotten: boolean) {
    super();
    this.isForgotten = isForgotten;
  }
}

/** Takes the operations out of a plan that the memory or a decision of a person refuses. It makes no change. */
export async function dropRefused(
  opened: LearnedMemory,
  plan: OperationPlan,
  run: Pick<LearnChangeSettings, "actor" | "salt">,
): Promise<OperationPlan> {
  const checked: OperationPlan = { changes: [], accepted: [], dropped: [...plan.dropped] };
  const refusedPaths = new Set<string>();
  for (const change of plan.changes) {
    try {
      if (refusedPaths.has(change.path)) throw invalid("an earlier operation on the same file is refused");
      const id = await createId(opened, change, run);
      // A change after an addition to the same file is checked when it is made: its text is not there yet.
      if (checked.changes.every(({ path }) => path !== change.path))
        await propose(opened.memory, change, { id, actor: run.actor, isCheck: true });
      checked.changes.push(change);
      checked.accepted.push(...change.operations);
    } catch (error) {
      checked.dropped.push(...describeRefused(change, error));
      refusedPaths.add(change.path);
    }
  }
  return checked;
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
          await (change.isAtOnce
            ? history?.takeBack(
                createCallId(id, settings.actor),
                change.kind === "append" ? change.added : change.after,
              )
            : proposals.withdraw(id));
        throw error;
      });
      if (change.isAtOnce) report.applied.push(change.path);
      else report.proposals.push(id);
    } catch (error) {
      report.dropped.push(...describeRefused(change, error));
    }
  }
}

/** @throws an error that is no refusal */
function describeRefused({ operations }: LearnChange, error: unknown): DroppedOperation[] {
  if (!isRefusal(error)) throw error;
  return operations.map((operation) => ({ operation, why: getReason(error) }));
}

async function makeChange(
  memory: Memory,
  change: LearnChange,
  { id, actor, model, signal }: LearnChangeSettings & { id: string },
): Promise<void> {
  const sources = change.sources.map((source) => source.id);
  const origin = { reason: change.reasons.join("\n"), sources, trust: getLowestTrust(change.sources), model };
  if (change.isAtOnce) {
    const toolCallId = createCallId(id, actor);
    const run = { run: {}, signal, actor: { ...actor, toolCallId }, call: new CallIdentity(toolCallId), origin };
    await applyTo(bindMemory(memory, { run }), change);
    return;
  }
  await propose(memory, change, { id, actor: { ...actor, toolCallId: id }, origin });
}

async function propose(memory: Memory, change: LearnChange, proposal: ProgramProposal): Promise<void> {
  const id = await proposeChange(memory, proposal, (asking) => applyTo(asking, change));
  if (id === null) throw invalid("it changes nothing");
}

/** Whether a source is gone. False if another run came first: it makes the same change. */
function isSourceGone(error: unknown): boolean {
  if (error instanceof StaleRun) return error.isForgotten;
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
  { actor, salt }: Pick<LearnChangeSettings, "actor" | "salt">,
): Promise<string> {
  const old = before ?? "";
  const isMove = kind === "rename" || kind === "delete";
  const texts = isMove ? [kind, to] : [getAddedText(old, after).trim(), getAddedText(after, old).trim()];
  const id = createFactsId([salt, address, path, ...texts]);
  const earlier = await proposals.get(id);
  if (earlier?.status === "rejected") throw invalid("a person has rejected this change");
  if (earlier === null || earlier.actor?.runId === actor.runId) return id;
  if (earlier.status === "approved") return createCallId(id, actor);
  throw invalid("this change waits for a person");
}

/** The id differs in each run. Reason: a later run may add a text again that a person has deleted since. */
function createCallId(id: string, { runId }: LearnChangeSettings["actor"]): string {
  return createFactsId([runId, id]);
}
