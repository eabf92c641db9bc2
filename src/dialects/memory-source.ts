import { restricted } from "../core/access/restrict.js";
import { MemoryError } from "../core/values/errors.js";
import type { Memory } from "../core/memory.js";
import { withinTime } from "../core/runtime/call.js";
import { memoryDefaults } from "../core/settings/options.js";
import { askingOf } from "./asking.js";
import type { KnownMemory } from "./dialect.js";
import { actorOf, type MemoryRun, signalOf } from "./memory-run.js";

/** Chooses the memory for a run; `MemoryNode` is one. */
export interface MemoryProvider extends KnownMemory {
  /** @throws MemoryError ENOTMEM, EINVAL */
  memoryForRun(run: MemoryRun): Memory | Promise<Memory>;
}

/**
 * Where a tool finds its memory: always the same one, or the one that a MemoryNode or a function chooses for the run. A
 * model cannot choose it. A function must answer within 30 seconds.
 */
export type MemorySource = Memory | MemoryProvider | ((run: MemoryRun) => Memory | Promise<Memory>);

/**
 * The memory of a run, whose calls end with the run and whose changes are those of who acts in it.
 * @throws MemoryError ENOTMEM where there is none, EINVAL where the run lacks the thread or the user that the memory
 * needs
 */
export async function memoryOf(source: MemorySource | undefined, run: MemoryRun): Promise<Memory> {
  if (source === undefined) {
    throw new MemoryError("ENOTMEM", "ENOTMEM: no memory connected; pass `memory` to the tool or call setMemorySource");
  }
  const memory = await chosenFor(run, source);
  return usedBy(run, memory.rights?.asks === true ? askingIn(run, memory) : memory);
}

/** What is mounted with `access: "ask"` without a MemoryNode asks as a node does by default. */
function askingIn(run: MemoryRun, memory: Memory): Memory {
  return restricted(memory, { access: "write", rules: [], asking: askingOf(run, "interrupt", actorOf(run)) });
}

/** The memory that a source chooses for a run. A function has 30 s for it, and ends with the run. */
export function chosenFor(run: MemoryRun, source: MemorySource): Memory | Promise<Memory> {
  if (typeof source === "function") {
    const signal = signalOf(run);
    return withinTime({ signals: signal ? [signal] : [], timeoutMs: memoryDefaults.timeoutMs }, "read", async () =>
      source(run),
    );
  }
  return "memoryForRun" in source ? source.memoryForRun(run) : source;
}

/** What is known of the memory where it is the same for every run. */
export function knownOf(source: MemorySource | undefined): KnownMemory {
  return typeof source === "function" || source === undefined ? {} : source;
}

/** The same memory, as a run uses it. What the run says of the actor goes before what the program has said. */
function usedBy(run: MemoryRun, memory: Memory): Memory {
  const [signal, actor] = [signalOf(run), actorOf(run)];
  return signal === undefined && Object.keys(actor).length === 0 ? memory : memory.with({ signal, actor });
}

/** The same memory, whose calls end when the signal aborts. */
export function endingWith(signal: AbortSignal | undefined, memory: Memory): Memory {
  return signal === undefined ? memory : memory.with({ signal });
}

export function checkMemorySource(source: unknown): asserts source is MemorySource {
  const isObject = typeof source === "object" && source !== null && ("memoryForRun" in source || "snapshot" in source);
  if (typeof source === "function" || isObject) return;
  throw new TypeError(
    "the memory of a tool must be a Memory (openMemory, store.memory), a MemoryNode, or a function from a run to a Memory",
  );
}
