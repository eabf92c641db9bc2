import type { CheckedPolicy, CheckedRule, SkippedChecks } from "./access/policy.js";
import type { Memory } from "./memory.js";
import type { MemoryUse } from "./memory-options.js";
import type { CallIdentity } from "./runtime/call-identity.js";
import type { AddedFile, AddSettings, DatedFile } from "./tree/add-files.js";
import type { SnapshotFile } from "./tree/snapshot.js";
import type { MemoryActor, VersionOrigin } from "./values/actor.js";
import { ROOT } from "./values/paths.js";
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

/** The settings of a copy of a memory. */
export interface MemoryBinding {
  /** Null: the copy belongs to no run. @default the run of the memory */
  readonly run?: RunBinding | null | undefined;
  /** Added to the policies of the memory: the strictest decides. @default none */
  readonly policies?: readonly CheckedPolicy[] | undefined;
  /** Checks that do not apply, because no model chooses the texts. @default none */
  readonly without?: SkippedChecks;
}

/** Reason for symbols: the other build of this package has its own classes. */
export const bind: unique symbol = Symbol.for("langgraph-mongo-memory.bind");
export const internals: unique symbol = Symbol.for("langgraph-mongo-memory.internals");

/** The parts of a memory that only this package uses. */
export interface MemoryInternals {
  /** The memory that contains the path: of a tree the mounted one, otherwise the memory itself. */
  readonly memory: Memory;
  /** The path in that memory. */
  readonly path: string;
  /** The run that uses the memory. Null outside a run. */
  readonly run: RunBinding | null;
  /** The same for all memories of one storage. */
  readonly storage: object;
  /** The rules of all its policies. */
  readonly rules: readonly CheckedRule[];
  /** Returns the text that the guards allow. @param command default: `append` @throws the errors of guards */
  readonly guard: (path: string, content: string, command?: "append" | "write") => Promise<string>;
  /** Null for a memory that is not made by this package. */
  readonly bulk: BulkCalls | null;
}

/** How a memory reads and brings in many files. */
export interface BulkCalls {
  readonly settings: AddSettings;
  /** Brings in files by one change. Null if the storage cannot, or if a policy must check each change alone. */
  readonly addFiles: ((files: readonly DatedFile[]) => Promise<AddedFile[]>) | null;
  /** Reads files as they are at one moment, without missing ones. Null if the storage cannot. */
  readonly readFiles: ((paths: readonly string[]) => Promise<SnapshotFile[]>) | null;
}

/** A memory made by either build of this package. */
export interface BindableMemory extends Memory {
  /** Returns a shallow copy. */
  [bind](binding: MemoryBinding & MemoryUse): Memory;
  [internals](path: string): MemoryInternals;
}

/**
 * Returns the same memory for a run, under more policies or without some checks.
 * @throws TypeError if there are policies, and the memory is not made by this package
 */
export function bindMemory(memory: Memory, binding: MemoryBinding): Memory {
  const { run, policies = [], without } = binding;
  // Uses `with`, which wrappers of memories have too.
  if (policies.length === 0 && without === undefined && run !== null) return run ? memory.with(run) : memory;
  if (isBindable(memory)) return memory[bind](binding);
  if (policies.length === 0) return memory;
  throw new TypeError(
    "rules and a guard need a memory of this package: openMemory, store.memory, openDirectoryMemory, openMemoryOver",
  );
}

/** @param path of a tree chooses one of its memories. Default: the memory at the root */
export function getInternals(memory: Memory, path: string = ROOT): MemoryInternals {
  if (isBindable(memory)) return memory[internals](path);
  return { memory, path, run: null, storage: memory, rules: [], guard: async (_path, content) => content, bulk: null };
}

function isBindable(memory: Memory): memory is BindableMemory {
  return bind in memory;
}
