import { MemoryError, type Memory } from "../../../src/index.js";
import type { Operation } from "./checker.js";
import { changes, type Command, perform } from "./memory-commands.js";

/** An operation in JSON. */
export type RecordedCall = Omit<Operation<Command>, "calledAt" | "answeredAt"> & {
  calledAt: string;
  answeredAt: string | null;
};

/**
 * Makes a call and records it. Returns null if the call teaches nothing: a failed read, or a change that the storage
 * refused or that lost its race too often, because such a change had no effect.
 *
 * The clock is the machine's monotonic clock, which all of its processes share.
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
