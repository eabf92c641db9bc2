import { checkAddress, type CheckedAddress } from "../../core/values/address.js";
import type { PathRule } from "../../core/values/paths.js";
import { asUsage, usageError } from "../errors.js";
import type { CliIo } from "../terminal/io.js";
import { getDatabaseName } from "./connection-string.js";
import { memoryAddress, type TargetOwner } from "./memory-address.js";
import type { MountTarget } from "./mount-options.js";
import { type DestinationOptions, memoryFlags, refuseOptions, type TargetOptions } from "./target-options.js";

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
    if (uri !== undefined) throw usageError("--uri and --dir exclude each other; pass the one where the memory is");
    const ofDatabase = ["db", "collection", ...memoryFlags, "mount"];
    refuseOptions(options, ofDatabase, "goes with --uri; a folder given by --dir is one memory");
    refuseOptions(options, ["as"], "goes with --uri; a folder given by --dir keeps no history");
    return { kind: "folder", dir, paths };
  }
  if (uri === undefined && !env["MONGODB_URI"])
    throw usageError("no memory was named; pass --uri (or set MONGODB_URI) with --node, or --dir for a folder");
  if (node === undefined)
    throw usageError("no memory was named; pass --node, and --thread or --user for the memory of one thread or user");
  const database = getDatabaseTarget(options, env);
  return { ...database, address: getAddress(node, options), mounts: mount, paths, as };
}

/** Returns the destination of `copy`. Missing options have the values of the source. @throws CommandError EUSAGE */
export function getDestination(to: DestinationOptions, source: TargetOptions, env: Env): Target {
  const { toUri, toDb, toCollection, toNode, toThread, toUser, toDir } = to;
  const ofDatabase = { toUri, toDb, toCollection, toNode, toThread, toUser };
  const { paths = "posix", as } = source;
  if (toDir !== undefined) {
    const reason = "does not go with --to-dir, as a folder is one memory; leave one of the two out";
    refuseOptions(ofDatabase, Object.keys(ofDatabase), reason);
    refuseOptions(source, ["as"], "does not go with --to-dir, as a folder keeps no history; leave one of the two out");
    return { kind: "folder", dir: toDir, paths };
  }
  if (Object.values(ofDatabase).every((value) => value === undefined)) throw noDestination();
  const node = toNode ?? source.node;
  if (node === undefined) throw usageError("--to-node is missing; a folder has no node id that could be kept");
  const isNamed = toNode !== undefined || toThread !== undefined || toUser !== undefined;
  const address = isNamed ? getAddress(node, { thread: toThread, user: toUser }, "--to-") : getAddress(node, source);
  return { ...getDestinationDatabase(to, source, env), address, mounts: [], paths, as };
}

/** @throws CommandError EUSAGE */
export function getDestinationDatabase(to: DestinationOptions, source: TargetOptions, env: Env): DatabaseTarget {
  const { toUri, toDb, toCollection } = to;
  const { MONGODB_URI: envUri } = env;
  const sourceUri = source.dir === undefined ? (source.uri ?? envUri) : undefined;
  const uri = toUri ?? sourceUri ?? envUri ?? "";
  if (uri === "") throw noDestination();
  return {
    kind: "database",
    uri,
    dbName: toDb ?? getDatabaseName(toUri) ?? source.db ?? getDatabaseName(sourceUri),
    memoriesCollection: toCollection ?? source.collection,
  };
}

const noDestination = (): Error =>
  usageError(
    "no destination was named; pass --to-node, --to-thread, --to-user, --to-uri, --to-db or --to-collection, or " +
      "--to-dir for a folder",
  );

/** @throws CommandError EUSAGE */
function getAddress(node: string, owner: TargetOwner, prefix = "--"): CheckedAddress {
  if (owner.thread !== undefined && owner.user !== undefined)
    throw usageError(
      `${prefix}thread and ${prefix}user exclude each other, as a memory is of a thread or of a user; pass one of them`,
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
