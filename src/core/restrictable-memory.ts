import type { CheckedPolicy } from "./access/policy.js";
import type { Memory } from "./memory.js";
import type { MemoryUse } from "./memory-options.js";
import type { CallIdentity } from "./runtime/call-identity.js";
import type { MemoryActor, VersionOrigin } from "./values/actor.js";
import { isObject } from "./values/unknown-values.js";

/**
 * A run that uses memories. `memory.with(run)` binds a memory to it. Whatever a storage learns about a call of a run
 * comes from here.
 */
export interface RunBinding extends MemoryUse {
  /** The run itself, for functions of programs. The core does not read it. */
  readonly run: object;
  /** Ends the calls with the run. */
  readonly signal: AbortSignal | undefined;
  /** The author of the changes, as the run says. Wins over the actor that a program gives to `with`. */
  readonly actor: MemoryActor | undefined;
  /** The call of a tool whose changes are made once. Null if its changes have no identity. */
  call: CallIdentity | null;
  /** The sources of the changes. */
  readonly origin?: VersionOrigin;
}

export function isRunBinding(use: MemoryUse): use is RunBinding {
  return isObject(use) && "call" in use;
}

/**
 * The settings of a copy of a memory: policies, and often its run. Policies add up: the strictest decides.
 * Or `isWithoutReview`, for the own files of a dialect, whose text no model chooses: no change of them needs an approval,
 * is seen by a guard or has an identity, and the policies refuse everything else as before.
 */
export type Restriction = MemoryBinding | { readonly isWithoutReview: true };

export interface MemoryBinding {
  readonly policies: readonly CheckedPolicy[];
  readonly run?: RunBinding | undefined;
}

/** Reason for a symbol: the other build of this package has its own classes. */
export const restrict: unique symbol = Symbol.for("langgraph-mongo-memory.restrict");
export const boundRun: unique symbol = Symbol.for("langgraph-mongo-memory.boundRun");

export const logSymbol: unique symbol = Symbol.for("langgraph-mongo-memory.log");

/** A memory to which the rules for agents do not apply, and for which no person is asked. */
export interface LogMemory {
  readonly memory: Memory;
  /** The directory of the log in the memory. */
  readonly path: string;
  /** The same for all memories of one storage. */
  readonly storage: object;
  /** Returns the text that the guards allow. The memory itself calls no guard. @throws the errors of guards */
  readonly guard: (path: string, content: string) => Promise<string>;
}

/** A memory made by either build of this package. */
export interface RestrictableMemory extends Memory {
  /** Returns a shallow copy, or the same memory if nothing is added to it. */
  [restrict](restriction: Restriction): Memory;
  /** The run that uses the memory. Null outside a run. */
  readonly [boundRun]: RunBinding | null;
  /** @param path the directory of the log */
  [logSymbol](path: string): LogMemory;
}

/**
 * Returns the same memory for a run and under policies.
 * @throws TypeError if there are policies, and the memory is not made by this package
 */
export function bindMemory(memory: Memory, binding: MemoryBinding): Memory {
  const { policies, run } = binding;
  // Uses `with`, which wrappers of memories have too.
  if (policies.length === 0) return run === undefined ? memory : memory.with(run);
  if (isRestrictable(memory)) return memory[restrict](binding);
  throw new TypeError(
    "rules and a guard need a memory of this package: openMemory, store.memory, openDirectoryMemory, openMemoryOver",
  );
}

/** Returns the same memory under a policy. @throws TypeError for a memory that is not made by this package */
export function restricted(memory: Memory, policy: CheckedPolicy): Memory {
  return bindMemory(memory, { policies: [policy] });
}

/** Returns the same memory for the own files of a dialect. */
export function withoutReview(memory: Memory): Memory {
  return isRestrictable(memory) ? memory[restrict]({ isWithoutReview: true }) : memory;
}

/** Returns the run that uses a memory. Null outside a run. */
export function getBoundRun(memory: Memory): RunBinding | null {
  return isRestrictable(memory) ? memory[boundRun] : null;
}

/**
 * Returns a memory without the rules for agents, for what the package itself does: the log of conversations, and a merge.
 * @param path the directory of the log, or the root
 */
export function openWithoutRules(memory: Memory, path: string): LogMemory {
  if (isRestrictable(memory)) return memory[logSymbol](path);
  return { memory: memory.with({ paths: "posix" }), path, storage: memory, guard: async (_path, content) => content };
}

function isRestrictable(memory: Memory): memory is RestrictableMemory {
  return restrict in memory;
}
