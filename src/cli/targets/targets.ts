import { checkAddress, type CheckedAddress } from "../../core/values/address.js";
import type { PathRule } from "../../core/values/paths.js";
import { asUsage, usageError } from "../errors.js";
import type { CliIo } from "../terminal/io.js";
import { getDatabaseName } from "./connection-string.js";
import { memoryAddress, type TargetOwner } from "./memory-address.js";
import type { MountTarget } from "./mount-options.js";
import { memoryFlags, refuseOptions, type TargetOptions } from "./target-options.js";

export interface DatabaseTarget {
  kind: "database";
  uri: string;
  dbName: string | undefined;
  memoriesCollection: string | undefined;
}

export interface FolderTarget {
  kind: "folder";
  dir: string;
  paths: PathRule;
}

export interface MemoryTarget extends DatabaseTarget {
  address: CheckedAddress;
  mounts: readonly MountTarget[];
  paths: PathRule;
  /** The user of `--as`. */
  as: string | undefined;
}

/** The location of one memory. */
export type Target = FolderTarget | MemoryTarget;

type Env = CliIo["env"];

/** @throws CommandError EUSAGE */
export function getDatabaseTarget(options: TargetOptions, env: Env): DatabaseTarget {
  refuseOptions(options, ["dir"], "is of a folder; this command needs a database");
  const uri = options.uri ?? env["MONGODB_URI"] ?? "";
  if (uri === "") throw usageError("no database was named; pass --uri, or set MONGODB_URI");
  return {
    kind: "database",
    uri,
    dbName: options.db ?? getDatabaseName(uri),
    memoriesCollection: options.collection,
  };
}

/** @throws CommandError EUSAGE */
export function getTarget(options: TargetOptions, env: Env): Target {
  const { uri, dir, node, mount = [], paths = "posix", as } = options;
  if (dir !== undefined) {
    const ofDatabase = ["uri", "db", "collection", ...memoryFlags, "mount", "as"];
    refuseOptions(options, ofDatabase, "goes with a database; a folder is one memory without a history");
    return { kind: "folder", dir, paths };
  }
  if (uri === undefined && !env["MONGODB_URI"])
    throw usageError("no memory was named; pass --uri (or set MONGODB_URI) with --node, or --dir for a folder");
  if (node === undefined)
    throw usageError("no memory was named; pass --node, and --thread or --user for the memory of one thread or user");
  const database = getDatabaseTarget(options, env);
  return { ...database, address: getAddress(node, options), mounts: mount, paths, as };
}

/** @throws CommandError EUSAGE */
function getAddress(node: string, owner: TargetOwner): CheckedAddress {
  if (owner.thread !== undefined && owner.user !== undefined)
    throw usageError(
      "--thread and --user exclude each other, as a memory is of a thread or of a user; pass one of them",
    );
  const check = (): CheckedAddress => checkAddress(memoryAddress(node, owner));
  return asUsage("--node, --thread or --user", check, "pass the ids that the application uses");
}

/** Returns the memory that `--node`, `--thread` and `--user` name, or undefined for all. @throws CommandError EUSAGE */
export function getOptionalAddress({ node, thread, user }: TargetOptions): CheckedAddress | undefined {
  if (node !== undefined) return getAddress(node, { thread, user });
  refuseOptions({ thread, user }, ["thread", "user"], "needs --node; leave both out for all memories");
  return undefined;
}
