import { Option } from "commander";
import type { Memory } from "../../core/memory.js";
import { mountMemories } from "../../core/mounts/mounted-memory.js";
import { type MountSettings, normalizeMountPoints } from "../../core/mounts/mounts.js";
import { checkAddress, type CheckedAddress, checkId } from "../../core/values/address.js";
import { ROOT } from "../../core/values/paths.js";
import { memoryOptionGroup } from "../command.js";
import { asUsage, type CommandError, usageError } from "../errors.js";
import { createAddress } from "./address.js";

/** A memory of the database that is mounted in the memory that `--node` names. */
export interface MountTarget extends Pick<MountSettings, "access"> {
  /** The mount point as the user gave it. */
  point: string;
  address: CheckedAddress;
}

const form = "<point>=<node>[,user=<id>|,thread=<id>][,access=read|append]";

export const mountOption = new Option(
  "--mount <mount>",
  "add another memory of the database to the tree: <point>=<node>, which may be followed by ,user=<id> or " +
    ",thread=<id>, and by ,access=read or ,access=append. Such as /team=team-notes,access=read; you can repeat it. " +
    "In the point or in an id, write %2C for a comma, %3D for an equals sign and %25 for a percent sign",
)
  .helpGroup(memoryOptionGroup)
  .argParser((value: string, earlier: MountTarget[] | undefined) => [...(earlier ?? []), parseMount(value)]);

/** @throws CommandError EUSAGE */
function parseMount(given: string): MountTarget {
  const error = (reason: string, cause?: unknown): CommandError =>
    usageError(`--mount ${given}: ${reason}; pass ${form}`, cause);
  const decode = (text: string): string => {
    try {
      return decodeURIComponent(text);
    } catch (cause) {
      throw error("a percent sign begins no byte of UTF-8; write %25 for one that is meant", cause);
    }
  };
  const decodeId = (text: string, name: string): string => {
    const id = decode(text);
    return asUsage(`--mount ${given}`, () => checkId(id, `${name} id`), `pass ${form}`);
  };
  const equals = given.indexOf("=");
  if (equals === -1) throw error("the node id is missing");
  const [node = "", ...parts] = given.slice(equals + 1).split(",");
  const settings = new Map<string, string>();
  for (const part of parts) {
    const [, name, value] = /^(user|thread|access)=(.*)$/s.exec(part) ?? [];
    if (name === undefined || value === undefined)
      throw error(`${JSON.stringify(part)} is not user=, thread= or access=`);
    if (settings.has(name)) throw error(`${name} is given twice`);
    settings.set(name, name === "access" ? decode(value) : decodeId(value, name));
  }
  const [user, thread, access = "write"] = ["user", "thread", "access"].map((name) => settings.get(name));
  if (user !== undefined && thread !== undefined) throw error("a memory is of a thread or of a user, not of both");
  if (access !== "write" && access !== "append" && access !== "read")
    throw error(`the access ${JSON.stringify(access)} is not read or append`);
  const address = checkAddress(createAddress(decodeId(node, "node"), { user, thread }));
  return { point: decode(given.slice(0, equals)), address, access };
}

/** Mounts memories in `root`. Returns `root` itself if there are no mounts. @throws CommandError EUSAGE */
export function withMounts(
  root: Memory,
  mounts: readonly MountTarget[],
  open: (address: CheckedAddress) => Memory,
): Memory {
  if (mounts.length === 0) return root;
  const points = [ROOT, ...mounts.map(({ point }) => point)];
  const twice = points.find((point, index) => points.indexOf(point) !== index);
  if (twice !== undefined)
    throw usageError(
      `--mount ${twice}: ${twice === ROOT ? "the memory that --node names is there" : "it is given twice"}; pass ` +
        "another point",
    );
  const others = mounts.map(({ point, address, access }) => [point, { memory: open(address), access }] as const);
  const tree = { [ROOT]: root, ...Object.fromEntries(others) };
  try {
    normalizeMountPoints("--mount", tree);
  } catch (error) {
    if (error instanceof TypeError) throw usageError(error.message, error);
    throw error;
  }
  return mountMemories(tree);
}
