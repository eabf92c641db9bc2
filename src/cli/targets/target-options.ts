import { type Command, Option } from "commander";
import type { MemoryAddress } from "../../core/values/address.js";
import type { PathRule } from "../../core/values/paths.js";
import type { LayoutName } from "../../mongodb/admin/memory-database.js";
import { collectionNameRule, databaseNameRule, isCollectionName, isDatabaseName } from "../../mongodb/admin/checks.js";
import { type CommandFault, usageFault } from "../fault.js";
import type { CliIo } from "../terminal/io.js";
import { databaseIn } from "./connection-string.js";
import { type MountTarget, parseMount } from "./mount-options.js";

/** The options that say where a memory is, as commander hands them over. */
export interface TargetOptions {
  uri?: string;
  db?: string;
  collection?: string;
  layout?: LayoutName;
  node?: string;
  thread?: string;
  user?: string;
  dir?: string;
  paths?: PathRule;
  as?: string;
  mount?: string[];
}

/** Whose memory of a node: of a thread, of a user, or that of all. */
type MemoryOwner = Pick<{ [Name in keyof TargetOptions]: TargetOptions[Name] | undefined }, "thread" | "user">;

/** The same for the place that `copy` writes to. */
export interface DestinationOptions {
  toUri?: string;
  toDb?: string;
  toCollection?: string;
  toLayout?: LayoutName;
  toNode?: string;
  toThread?: string;
  toUser?: string;
  toDir?: string;
}

export interface DatabaseTarget {
  kind: "database";
  uri: string;
  dbName: string | undefined;
  memoriesCollection: string | undefined;
  layout: LayoutName | undefined;
}

export interface FolderTarget {
  kind: "folder";
  dir: string;
}

/** Where one memory is. */
export type Target = (
  | FolderTarget
  | (DatabaseTarget & { address: MemoryAddress; mounts: readonly MountTarget[]; as: string | undefined })
) & { paths: PathRule };

/** The rule that reaches, and creates, most: administration should not be stopped by a name. */
const defaultPaths: PathRule = "posix";

/** As of the option `layout` of a store. */
const layoutNames = ["document", "files"] as const satisfies readonly LayoutName[];

export function addDatabaseOptions(command: Command): Command {
  return command
    .option(
      "--uri <string>",
      "connection string of MongoDB; a password is safer in the variable MONGODB_URI, as `ps` shows arguments",
    )
    .option("--db <name>", "database (default: that of the connection string)")
    .option("--collection <name>", 'collection of the memories (default: "memories")')
    .addOption(
      new Option(
        "--layout <name>",
        'how the application keeps the memories: its option `layout` (default: "document")',
      ).choices(layoutNames),
    );
}

export function addTargetOptions(command: Command): Command {
  return addDatabaseOptions(command)
    .option("--node <id>", "node id of the memory")
    .option(
      "--thread <id>",
      "thread id, for the memory of that thread; without --thread and --user it is the node's global memory",
    )
    .option("--user <id>", "user id, for the memory of that user")
    .option("--dir <folder>", "a memory kept as files in a folder, instead of --uri and its options")
    .addOption(
      new Option("--paths <rule>", "which names can be created").choices(["posix", "adr"]).default(defaultPaths),
    );
}

/**
 * Whom a version names beside this program. Nobody unless it is said: an id of a user means somebody that the
 * application knows, and not the user of this machine.
 */
export function addActorOption(command: Command): Command {
  return command.option(
    "--as <user>",
    'user id for the history: who makes the change, such as "$USER" (default: none, only this program)',
  );
}

export function addDestinationOptions(command: Command): Command {
  return command
    .option("--to-uri <string>", "connection string of the destination (default: that of the source)")
    .option("--to-db <name>", "database of the destination (default: that of --to-uri, else that of the source)")
    .option("--to-collection <name>", "collection of the destination (default: that of the source)")
    .addOption(
      new Option("--to-layout <name>", "how the destination keeps the memories (default: as the source)").choices(
        layoutNames,
      ),
    )
    .option("--to-node <id>", "node id of the destination (default: the memory's own)")
    .option(
      "--to-thread <id>",
      "thread id of the destination (default: the memory's own, unless --to-node or --to-user is given)",
    )
    .option(
      "--to-user <id>",
      "user id of the destination (default: the memory's own, unless --to-node or --to-thread is given)",
    )
    .option("--to-dir <folder>", "a folder as the destination");
}

/** @throws CommandFault EUSAGE */
export function databaseOf(options: TargetOptions, env: CliIo["env"]): DatabaseTarget {
  refuseFlags(options, ["dir"], "is of a folder; this command needs a database");
  const { MONGODB_URI: fromEnvironment = "" } = env;
  const uri = options.uri ?? fromEnvironment;
  if (uri === "") throw usageFault("no database was named; pass --uri, or set MONGODB_URI");
  const dbName = checkDatabaseName("--db", options.db) ?? databaseIn(uri);
  return {
    kind: "database",
    uri,
    dbName,
    memoriesCollection: checkCollectionName("--collection", options.collection),
    layout: options.layout,
  };
}

/** @throws CommandFault EUSAGE */
export function targetOf(options: TargetOptions, env: CliIo["env"]): Target {
  const { uri, dir, node, paths = defaultPaths } = options;
  if (dir !== undefined) {
    if (uri !== undefined) throw usageFault("--uri and --dir exclude each other; pass the one where the memory is");
    refuseFlags(
      options,
      ["db", "collection", "layout", ...memoryFlags, "mount"],
      "goes with --uri; a folder given by --dir is one memory",
    );
    refuseFlags(options, ["as"], "goes with --uri; a folder given by --dir keeps no history");
    return { kind: "folder", dir, paths };
  }
  const { MONGODB_URI: fromEnvironment = "" } = env;
  if (uri === undefined && fromEnvironment === "") throw noMemory();
  if (node === undefined)
    throw usageFault("no memory was named; pass --node, and --thread or --user for the memory of one thread or user");
  return {
    ...databaseOf(options, env),
    address: memoryAddress(node, options),
    mounts: (options.mount ?? []).map(parseMount),
    paths,
    as: options.as,
  };
}

/** Where `copy` writes to: what is not said of it is as in the source. @throws CommandFault EUSAGE */
export function destinationOf(to: DestinationOptions, source: TargetOptions, env: CliIo["env"]): Target {
  const { toUri, toDb, toCollection, toLayout, toNode, toThread, toUser, toDir } = to;
  const paths = source.paths ?? defaultPaths;
  if (toDir !== undefined) {
    const given = Object.entries({ toUri, toDb, toCollection, toLayout, toNode, toThread, toUser }).find(
      ([, value]) => value !== undefined,
    );
    if (given !== undefined)
      throw usageFault(
        `${flagOf(given[0])} does not go with --to-dir, as a folder is one memory; leave one of the two out`,
      );
    refuseFlags(source, ["as"], "does not go with --to-dir, as a folder keeps no history; leave one of the two out");
    return { kind: "folder", dir: toDir, paths };
  }
  if ([toUri, toDb, toCollection, toLayout, toNode, toThread, toUser].every((value) => value === undefined))
    throw noDestination();
  const node = toNode ?? source.node;
  if (node === undefined) throw usageFault("--to-node is missing; a folder has no node id that could be kept");
  if (toThread !== undefined && toUser !== undefined) throw bothOwners("--to-thread", "--to-user");
  const isSaid = toNode !== undefined || toThread !== undefined || toUser !== undefined;
  const owner = isSaid ? { thread: toThread, user: toUser } : source;
  return {
    ...destinationDatabaseOf(to, source, env),
    address: memoryAddress(node, owner),
    mounts: [],
    paths,
    as: source.as,
  };
}

/** @throws CommandFault EUSAGE */
export function destinationDatabaseOf(
  to: DestinationOptions,
  source: TargetOptions,
  env: CliIo["env"],
): DatabaseTarget {
  const { toUri, toDb, toCollection, toLayout } = to;
  const { MONGODB_URI: fromEnvironment } = env;
  const sourceUri = source.dir === undefined ? (source.uri ?? fromEnvironment) : undefined;
  const uri = toUri ?? sourceUri ?? fromEnvironment;
  if (uri === undefined || uri === "") throw noDestination();
  return {
    kind: "database",
    uri,
    dbName: checkDatabaseName("--to-db", toDb ?? databaseIn(toUri) ?? source.db ?? databaseIn(sourceUri)),
    memoriesCollection: checkCollectionName("--to-collection", toCollection ?? source.collection),
    layout: toLayout ?? source.layout,
  };
}

/** @throws CommandFault EUSAGE for what MongoDB refuses */
export function checkDatabaseName(flag: string, name: string | undefined): string | undefined {
  if (name === undefined || isDatabaseName(name)) return name;
  throw usageFault(
    `${flag} ${JSON.stringify(name)}: MongoDB allows no such name of a database; it ${databaseNameRule}`,
  );
}

/** @throws CommandFault EUSAGE for what MongoDB refuses */
export function checkCollectionName<Name extends string | undefined>(flag: string, name: Name): Name {
  if (name === undefined || isCollectionName(name)) return name;
  throw usageFault(
    `${flag} ${JSON.stringify(name)}: MongoDB allows no such name of a collection; it ${collectionNameRule}`,
  );
}

/** @throws CommandFault EUSAGE where one of them was given, which would be ignored otherwise */
export function refuseFlags(options: object, names: readonly string[], reason: string): void {
  const given = names.find((name) => (options as Record<string, unknown>)[name] !== undefined);
  if (given !== undefined) throw usageFault(`${flagOf(given)} ${reason}`);
}

/** `--to-dir` of `toDir`. */
function flagOf(name: string): string {
  return `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** The options of one memory in a database. */
export const memoryFlags = ["node", "thread", "user"] as const;

/** Without a thread and a user, that of the node's global memory. @throws CommandFault EUSAGE for both */
export function memoryAddress(nodeId: string, { thread, user }: MemoryOwner): MemoryAddress {
  if (thread !== undefined && user !== undefined) throw bothOwners("--thread", "--user");
  if (user !== undefined) return { nodeId, scope: "perUser", userId: user };
  return thread === undefined ? { nodeId } : { nodeId, scope: "perThread", threadId: thread };
}

/** The memory that `--node` and its companions name, or undefined for all. @throws CommandFault EUSAGE */
export function optionalAddress({ node, ...owner }: TargetOptions): MemoryAddress | undefined {
  if (node !== undefined) return memoryAddress(node, owner);
  refuseFlags(owner, ["thread", "user"], "needs --node; leave both out for all memories");
  return undefined;
}

function bothOwners(ofThread: string, ofUser: string): CommandFault {
  return usageFault(
    `${ofThread} and ${ofUser} exclude each other, as a memory is of a thread or of a user; pass one of them`,
  );
}

function noDestination(): CommandFault {
  return usageFault(
    "no destination was named; pass --to-node, --to-thread, --to-user, --to-uri, --to-db, --to-collection or --to-layout, or --to-dir for a folder",
  );
}

function noMemory(): CommandFault {
  return usageFault("no memory was named; pass --uri (or set MONGODB_URI) with --node, or --dir for a folder");
}
