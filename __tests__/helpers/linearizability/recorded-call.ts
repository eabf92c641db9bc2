import { MemoryError } from "../../../src/core/values/errors.js";
import type { Memory } from "../../../src/core/memory.js";
import type { Operation } from "./checker.js";
import { changes, type Command, perform } from "./memory-commands.js";

/** An operation in JSON. */
export type RecordedCall = Omit<Operation<Command>, "calledAt" | "answeredAt"> & {
  calledAt: string;
  answeredAt: string | null;
};

/**
 * Makes a call, and records it. Null for a call of which nothing can be learned: a read that failed, and a change that
 * the storage refused or that lost its race too often, as those changed nothing.
 *
 * The clock is the one of the machine that never goes back, which all of its processes share.
 */
export async function recordedCall(memory: Memory, caller: string, command: Command): Promise<RecordedCall | null> {
  const calledAt = String(process.hrtime.bigint());
  const recorded = (outcome: object): RecordedCall => ({
    caller,
    calledAt,
    answeredAt: String(process.hrtime.bigint()),
    command,
    answer: JSON.stringify(outcome),
  });
  try {
    return recorded({ value: (await perform(memory, command)) ?? null });
  } catch (error) {
    if (!MemoryError.isInstance(error)) throw error;
    const { code, message } = error;
    if (code !== "EIO" && code !== "ECONFLICT") return recorded({ code });
    const isUnknown = code === "EIO" && changes(command) && message.includes("the outcome is unknown");
    return isUnknown ? { caller, calledAt, answeredAt: null, command, answer: "" } : null;
  }
}

export function operationOf({ calledAt, answeredAt, ...call }: RecordedCall): Operation<Command> {
  return { ...call, calledAt: BigInt(calledAt), answeredAt: answeredAt === null ? null : BigInt(answeredAt) };
}
