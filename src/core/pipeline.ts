import { authorizeChange } from "./access/authorize.js";
import type { RunBinding } from "./bind-memory.js";
import { guardChange, guardEdit } from "./access/guard-change.js";
import type { Policies } from "./access/policies.js";
import { requestApproval } from "./approval/request-approval.js";
import { changeOnce } from "./contract/change-once.js";
import type { MemoryBackend } from "./contract/backend.js";
import { type Call, runWithDeadline } from "./runtime/call.js";
import type { MemoryOptions } from "./memory-options.js";
import { type Change, type ChangeOptions, type ChangeResult, foundNothing } from "./tree/change.js";
import type { MemoryActor } from "./values/actor.js";
import type { CheckedAddress } from "./values/address.js";
import { withPath } from "./values/error-paths.js";
import { MemoryError } from "./values/errors.js";
import { getCreationError, normalizePath, ROOT } from "./values/paths.js";

/** Everything that the calls of one memory need. */
export interface MemoryContext {
  readonly backend: MemoryBackend;
  readonly address: CheckedAddress;
  readonly options: Required<MemoryOptions>;
  readonly signals: readonly AbortSignal[];
  /** The author of the changes: the fields of the run, and those that a program adds. */
  readonly actor: MemoryActor | null;
  /** The run that uses the memory. Null outside a run. */
  readonly run: RunBinding | null;
  /** Null: everything is allowed. */
  readonly policies: Policies | null;
}

/** The result of a change, with the text if a person or a guard changed that of an edit. */
export type ChangedText = ChangeResult & { content?: string };

/** Runs a call within its deadline. */
export function runCall<R>(memory: MemoryContext, run: (call: Call) => Promise<R>): Promise<R> {
  const { signals, actor, options } = memory;
  return runWithDeadline({ signals, timeoutMs: options.timeoutMs, actor }, run);
}

/**
 * Runs a call on a path. Errors without a path get this path. If the path is missing and its name is not allowed, the
 * error gives that reason: the rule limits which names can be created, never which can be reached (specification
 * section 2).
 *
 * @param prepare checks the other arguments, and returns the function to run
 */
export async function runOnPath<R>(
  memory: MemoryContext,
  path: unknown,
  prepare: (target: string) => (call: Call) => Promise<R>,
  options?: { emptyIsRoot: boolean },
): Promise<R> {
  const target = normalizePath(path, options);
  const run = prepare(target);
  try {
    return await runCall(memory, run);
  } catch (error) {
    if (!MemoryError.isInstance(error)) throw error;
    const fault = error.code === "ENOENT" ? getCreationError(target, memory.options.paths) : null;
    throw withPath(fault ?? error, target);
  }
}

/** Runs a change with the identity that the call of a tool gives it. Returns the first result of a repeated change. */
export async function runChange(memory: MemoryContext, change: Change, call: Call): Promise<ChangedText> {
  const { call: identity = null, origin = null } = memory.run ?? {};
  call.origin = origin;
  if (identity === null) return runAllowedChange(memory, change, call);
  call.changeId = identity.changeId;
  const result = await runAllowedChange(memory, change, call);
  if (result.madeAt === undefined && foundNothing(change, result)) return result;
  identity.countChange();
  // The call may have made its change by an edit.
  return foundNothing(change, result) ? { ...result, replaced: 1 } : result;
}

/**
 * Runs a change: first the rights, then an approval or the guards, then the storage.
 */
async function runAllowedChange(memory: MemoryContext, requested: Change, call: Call): Promise<ChangedText> {
  const { policies, backend } = memory;
  if (policies === null) return changeStorage(memory, requested, call);
  const isOfAll = requested.type === "delete" && requested.path === ROOT && policies.kept !== undefined;
  const change = isOfAll ? { ...requested, keeps: policies.kept } : requested;
  if ((await authorizeChange(policies, change, backend, call)) === "ask")
    return requestApproval({ ...memory, policies }, change, call);
  if (!policies.hasGuard) return changeStorage(memory, change, call);
  if (change.type !== "edit") return changeStorage(memory, await guardChange(memory, change, call), call);
  const store = (guarded: Change): Promise<ChangeResult> => changeStorage(memory, guarded, call);
  return guardEdit(memory, change, { backend, store }, call);
}

function changeStorage(memory: MemoryContext, change: Change, call: Call): Promise<ChangeResult> {
  const { backend, policies } = memory;
  const options: ChangeOptions = policies?.vary !== true ? {} : { checkPath: (path) => policies.assertMayWrite(path) };
  call.stage = "change";
  return changeOnce(backend, change, options, call);
}
