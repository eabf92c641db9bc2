import { wrongArgument } from "../core/settings/wrong-argument.js";
import { bindMemory } from "../core/bind-memory.js";
import type { CheckedPolicy } from "../core/access/policy.js";
import { MemoryError } from "../core/values/errors.js";
import type { Memory } from "../core/memory.js";
import { withinTime } from "../core/runtime/call.js";
import { memoryDefaults } from "../core/memory-options.js";
import { createApprovals } from "./approval-requests.js";
import type { KnownMemory } from "../dialects/dialect.js";
import { getBinding, type MemoryRun } from "./memory-run.js";

/** Chooses the memory for a run. `MemoryNode` is a provider. */
export interface MemoryProvider extends KnownMemory {
  /** @throws MemoryError ENOTMEM, EINVAL */
  memoryForRun(run: MemoryRun): Memory | Promise<Memory>;
}

/**
 * The source of a tool's memory: always the same memory, or a MemoryNode or a function that chooses a memory for the
 * run. A model cannot choose it. A function must answer within 30 seconds.
 */
export type MemorySource = Memory | MemoryProvider | ((run: MemoryRun) => Memory | Promise<Memory>);

/**
 * Opens the memory of a run. Its calls end with the run, and its changes have the run's actor.
 * @throws MemoryError ENOTMEM without a memory, EINVAL if the run lacks the thread or the user that the memory needs
 */
export async function openMemoryForRun(source: MemorySource | undefined, run: MemoryRun): Promise<Memory> {
  if (source === undefined) {
    throw new MemoryError("ENOTMEM", "ENOTMEM: no memory connected; pass `memory` to the tool or call setMemorySource");
  }
  const memory = await chooseMemory(run, source);
  const policies = memory.rights?.asks === true ? [createAskingPolicy(run)] : [];
  return bindMemory(memory, { run: getBinding(run), policies });
}

/** Lets mounts with `access: "ask"` request approval without a MemoryNode, as a MemoryNode does by default. */
function createAskingPolicy(run: MemoryRun): CheckedPolicy {
  const requester = createApprovals(run, "interrupt", getBinding(run).actor ?? null);
  return { access: "write", rules: [], requester };
}

/** Returns the memory that a source chooses for a run. A function has 30 s, and the run's signal ends the call. */
export function chooseMemory(run: MemoryRun, source: MemorySource): Memory | Promise<Memory> {
  if (typeof source === "function") {
    const { signal } = run.config;
    return withinTime({ signals: signal ? [signal] : [], timeoutMs: memoryDefaults.timeoutMs }, "read", async () =>
      source(run),
    );
  }
  return isMemoryProvider(source) ? source.memoryForRun(run) : source;
}

export function isMemoryProvider(source: MemorySource | undefined): source is MemoryProvider {
  return typeof source === "object" && "memoryForRun" in source;
}

/** Returns the facts about the memory that are the same for every run. */
export function getKnownMemory(source: MemorySource | undefined): KnownMemory {
  return typeof source === "function" || source === undefined ? {} : source;
}

export function checkMemorySource(source: unknown): asserts source is MemorySource {
  const isObject = typeof source === "object" && source !== null && ("memoryForRun" in source || "snapshot" in source);
  if (typeof source === "function" || isObject) return;
  throw wrongArgument(
    "the memory of a tool",
    "a Memory (openMemory, store.memory), a MemoryNode, or a function from a run to a Memory",
    source,
  );
}
