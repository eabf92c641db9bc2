import type { Command } from "commander";
import { MemoryError } from "../../core/values/errors.js";
import { usageFault } from "../fault.js";

/** The options that say whose memories are meant, of commands that take more than one memory. */
export interface OwnerOptions {
  node?: string;
  thread?: string;
  user?: string;
}

export function addOwnerOptions(command: Command): Command {
  return command
    .option("--node <id>", "node id of the memory (default: all nodes)")
    .option("--thread <id>", "memories of this thread")
    .option("--user <id>", "memories of this user");
}

/** @param select is given the ids as a filter has them. @throws CommandFault EUSAGE for what it refuses */
export function selectedBy<Selection>(
  { node, thread, user }: OwnerOptions,
  select: (ids: object) => Selection,
): Selection {
  const ids = {
    ...(node !== undefined && { nodeId: node }),
    ...(thread !== undefined && { threadId: thread }),
    ...(user !== undefined && { userId: user }),
  };
  try {
    return select(ids);
  } catch (error) {
    if (MemoryError.isInstance(error)) throw usageFault(`--node, --thread or --user: ${error.message}`, error);
    throw error;
  }
}
