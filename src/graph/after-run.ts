import { ensureConfig, type RunnableConfig } from "@langchain/core/runnables";
import { bindMemory } from "../core/bind-memory.js";
import type { Memory } from "../core/memory.js";
import { isMissingOwner } from "../core/values/address.js";
import type { MemoryError } from "../core/values/errors.js";
import { shorten } from "../core/values/text.js";
import { getBinding, getMemoryRun, type MemoryRun } from "../langchain/memory-run.js";
import type { ConnectableMemory } from "./memory-connector-node.js";
import { reportFailure, toFailure } from "../langchain/report-failure.js";

/** Work of a program on the memory of a run, after the answer. */
export interface WorkAfterRun {
  memory: Memory | Pick<ConnectableMemory, "memoryForRun">;
  /** Begins the warning of the process, such as "messages not logged". */
  title: string;
  /** Begins the message of an error that is no MemoryError, such as "the messages could not be logged". */
  failure: string;
  /** @default a warning of the process */
  onError?: ((error: MemoryError) => void) | undefined;
  /** @param open opens the memory of the run */
  work: (open: () => Promise<Memory>, run: MemoryRun, onFailure: (error: MemoryError) => void) => Promise<unknown>;
}

/** Works with the memory of a run. A failure is reported, and never ends the run. */
export async function workAfterRun(
  config: RunnableConfig,
  { memory, title, failure, onError, work }: WorkAfterRun,
): Promise<void> {
  const run = getMemoryRun(ensureConfig(config));
  const warn = (error: MemoryError): void => {
    // The process is warned only once about runs without a thread or user, by `warnOfMissingOwner`.
    if (!isMissingOwner(error))
      globalThis.process?.emitWarning?.(`${title}: ${error.message}`, { type: "MemoryWarning" });
  };
  const onFailure = (error: MemoryError): void => reportFailure(error, onError ?? warn, warn);
  const open = async (): Promise<Memory> =>
    bindMemory("memoryForRun" in memory ? await memory.memoryForRun(run) : memory, { run: getBinding(run) });
  try {
    await work(open, run, onFailure);
  } catch (cause) {
    const reason = shorten(cause instanceof Error ? cause.message : String(cause), 200);
    onFailure(toFailure(cause, run.config.signal, `EIO: ${failure}: ${reason}`));
  }
}

type RunParts = Record<"configurable" | "context" | "store" | "signal", unknown>;

/** Returns the config of a run that a middleware sees. LangChain has no type for these parts of one. */
export function toConfig({ configurable, context, store, signal }: Partial<RunParts>): RunnableConfig {
  return { configurable, context, store, signal } as RunnableConfig;
}
