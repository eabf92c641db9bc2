import { type Command, Option } from "commander";
import { checkAddress, type CheckedAddress } from "../../core/values/address.js";
import { MemoryError } from "../../core/values/errors.js";
import type { Memory } from "../../core/memory.js";
import { mountMemories } from "../../core/mounts/mounted-memory.js";
import type { MountSettings } from "../../core/mounts/mounts.js";
import { ROOT } from "../../core/values/paths.js";
import { usageFault } from "../fault.js";

/** A memory of the database that is mounted below the one that `--node` names. */
export interface MountTarget extends Pick<MountSettings, "access"> {
  /** As it was given. */
  point: string;
  address: CheckedAddress;
}

const form = "<point>=<node>[,user=<id>|,thread=<id>][,access=read|append]";

export function addMountOption(command: Command): Command {
  const option = new Option(
    `--mount <${form}>`,
    "add another memory of the database to the tree, such as /team=team-notes,access=read; you can repeat it. " +
      "In the point or in an id, write %2C for a comma, %3D for an equals sign and %25 for a percent sign",
  );
  return command.addOption(
    option.argParser((value: string, earlier: string[] | undefined) => [...(earlier ?? []), value]),
  );
}

/** @throws CommandFault EUSAGE */
export function parseMount(given: string): MountTarget {
  const fault = (reason: string, cause?: unknown): Error =>
    usageFault(`--mount ${given}: ${reason}; pass ${form}`, cause);
  const decoded = (text: string): string => {
    try {
      return decodeURIComponent(text);
    } catch (error) {
      throw fault("a percent sign begins no byte of UTF-8; write %25 for one that is meant", error);
    }
  };
  const equals = given.indexOf("=");
  if (equals === -1) throw fault("the node id is missing");
  const [node = "", ...settings] = given.slice(equals + 1).split(",");
  const found = new Map<string, string>();
  for (const setting of settings) {
    const [, name, value] = /^(user|thread|access)=(.*)$/s.exec(setting) ?? [];
    if (name === undefined || value === undefined)
      throw fault(`${JSON.stringify(setting)} is none of user=, thread= and access=`);
    if (found.has(name)) throw fault(`${name} is given twice`);
    found.set(name, decoded(value));
  }
  const [user, thread, access = "write"] = ["user", "thread", "access"].map((name) => found.get(name));
  if (user !== undefined && thread !== undefined) throw fault("a memory is of a thread or of a user, not of both");
  if (access !== "write" && access !== "append" && access !== "read")
    throw fault(`the access ${JSON.stringify(access)} is none of read and append`);
  const owner =
    user !== undefined
      ? { scope: "perUser", userId: user }
      : thread !== undefined
        ? { scope: "perThread", threadId: thread }
        : {};
  try {
    return {
      point: decoded(given.slice(0, equals)),
      address: checkAddress({ nodeId: decoded(node), ...owner }),
      access,
    };
  } catch (error) {
    throw MemoryError.isInstance(error) ? fault(error.message, error) : error;
  }
}

/** The memory itself, or the tree that it makes with the mounts. @throws CommandFault EUSAGE */
export function withMounts(
  root: Memory,
  mounts: readonly MountTarget[],
  open: (address: CheckedAddress) => Memory,
): Memory {
  if (mounts.length === 0) return root;
  const points = [ROOT, ...mounts.map(({ point }) => point)];
  const twice = points.find((point, index) => points.indexOf(point) !== index);
  if (twice !== undefined)
    throw usageFault(
      `--mount ${twice}: ${twice === ROOT ? "the memory that --node names is there" : "it is given twice"}; pass another point`,
    );
  const others = mounts.map(({ point, address, access }) => [point, { memory: open(address), access }] as const);
  try {
    return mountMemories({ [ROOT]: root, ...Object.fromEntries(others) });
  } catch (error) {
    if (error instanceof TypeError)
      throw usageFault(`--mount: ${error.message.replace(/^mountMemories: /, "")}`, error);
    throw error;
  }
}
