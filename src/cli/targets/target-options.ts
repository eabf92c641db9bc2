import { type Command, Option } from "commander";
import type { MemoryAddress } from "../../core/address.js";
import type { PathRule } from "../../core/paths.js";
import { collectionNameRule, databaseNameRule, isCollectionName, isDatabaseName } from "../../mongodb/admin/names.js";
import { type CommandFault, usageFault } from "../fault.js";
import type { CliIo } from "../terminal/io.js";
import { databaseIn } from "./connection-string.js";

/** The options that say where a memory is, as commander hands them over. */
export interface TargetOptions {
  uri?: string;
  db?: string;
  collection?: string;
  node?: string;
  thread?: string;
  dir?: string;
  paths?: PathRule;
}

/** The same for the place that `copy` writes to. */
export interface DestinationOptions {
  toUri?: string;
  toDb?: string;
  toCollection?: string;
  toNode?: string;
  toThread?: string;
  toDir?: string;
}

export interface DatabaseTarget {
  kind: "database";
  uri: string;
  dbName: string | undefined;
  memoriesCollection: string | undefined;
}

export interface FolderTarget {
  kind: "folder";
  dir: string;
}

/** Where one memory is. */
export type Target = (FolderTarget | (DatabaseTarget & { address: MemoryAddress })) & { paths: PathRule };

/** The rule that reaches, and creates, most: administration should not be stopped by a name. */
const defaultPaths: PathRule = "posix";

export function addDatabaseOptions(command: Command): Command {
  return command
    .option("--uri <string>", "connection string of MongoDB; a password is safer in the variable MONGODB_URI, as `ps` shows arguments")
    .option("--db <name>", "database (default: that of the connection string)")
    .option("--collection <name>", 'collection of the memories (default: "memories")');
}

export function addTargetOptions(command: Command): Command {
  return addDatabaseOptions(command)
    .option("--node <id>", "node id of the memory")
    .option("--thread <id>", "thread id; without it the node's global memory is meant")
    .option("--dir <folder>", "a memory kept as files in a folder, in place of --uri and its options")
    .addOption(new Option("--paths <rule>", "which names can be created").choices(["posix", "adr"]).default(defaultPaths));
}

export function addDestinationOptions(command: Command): Command {
  return command
    .option("--to-uri <string>", "connection string of the destination (default: that of the source)")
    .option("--to-db <name>", "database of the destination (default: that of --to-uri, else that of the source)")
    .option("--to-collection <name>", "collection of the destination (default: that of the source)")
    .option("--to-node <id>", "node id of the destination (default: the memory's own)")
    .option("--to-thread <id>", "thread id of the destination (default: the memory's own, unless --to-node is given)")
    .option("--to-dir <folder>", "a folder as the destination");
}

/** @throws CommandFault EUSAGE */
export function databaseOf(options: TargetOptions, env: CliIo["env"]): DatabaseTarget {
  refuseFlags(options, ["dir"], "is of a folder; this command needs a database");
  const { MONGODB_URI: fromEnvironment = "" } = env;
  const uri = options.uri ?? fromEnvironment;
  if (uri === "") throw usageFault("no database was named; pass --uri, or set MONGODB_URI");
  const dbName = checkDatabaseName("--db", options.db) ?? databaseIn(uri);
  return { kind: "database", uri, dbName, memoriesCollection: checkCollectionName("--collection", options.collection) };
}

/** @throws CommandFault EUSAGE */
export function targetOf(options: TargetOptions, env: CliIo["env"]): Target {
  const { uri, dir, node, thread, paths = defaultPaths } = options;
  if (dir !== undefined) {
    if (uri !== undefined) throw usageFault("--uri and --dir exclude each other; pass the one where the memory is");
    refuseFlags(options, ["db", "collection", "node", "thread"], "goes with --uri; a folder given by --dir is one memory");
    return { kind: "folder", dir, paths };
  }
  const { MONGODB_URI: fromEnvironment = "" } = env;
  if (uri === undefined && fromEnvironment === "") throw noMemory();
  if (node === undefined) throw usageFault("no memory was named; pass --node, and --thread for the memory of one thread");
  return { ...databaseOf(options, env), address: memoryAddress(node, thread), paths };
}

/** Where `copy` writes to: what is not said of it is as in the source. @throws CommandFault EUSAGE */
export function destinationOf(to: DestinationOptions, source: TargetOptions, env: CliIo["env"]): Target {
  const { toUri, toDb, toCollection, toNode, toThread, toDir } = to;
  const paths = source.paths ?? defaultPaths;
  if (toDir !== undefined) {
    const given = Object.entries({ toUri, toDb, toCollection, toNode, toThread }).find(([, value]) => value !== undefined);
    if (given !== undefined) throw usageFault(`${flagOf(given[0])} does not go with --to-dir, as a folder is one memory; leave one of the two out`);
    return { kind: "folder", dir: toDir, paths };
  }
  if ([toUri, toDb, toCollection, toNode, toThread].every((value) => value === undefined)) throw noDestination();
  const node = toNode ?? source.node;
  if (node === undefined) throw usageFault("--to-node is missing; a folder has no node id that could be kept");
  const thread = toThread ?? (toNode === undefined ? source.thread : undefined);
  return { ...destinationDatabaseOf(to, source, env), address: memoryAddress(node, thread), paths };
}

/** @throws CommandFault EUSAGE */
export function destinationDatabaseOf(to: DestinationOptions, source: TargetOptions, env: CliIo["env"]): DatabaseTarget {
  const { toUri, toDb, toCollection } = to;
  const { MONGODB_URI: fromEnvironment } = env;
  const sourceUri = source.dir === undefined ? (source.uri ?? fromEnvironment) : undefined;
  const uri = toUri ?? sourceUri ?? fromEnvironment;
  if (uri === undefined || uri === "") throw noDestination();
  return {
    kind: "database",
    uri,
    dbName: checkDatabaseName("--to-db", toDb ?? databaseIn(toUri) ?? source.db ?? databaseIn(sourceUri)),
    memoriesCollection: checkCollectionName("--to-collection", toCollection ?? source.collection),
  };
}

/** @throws CommandFault EUSAGE for what MongoDB refuses */
export function checkDatabaseName(flag: string, name: string | undefined): string | undefined {
  if (name === undefined || isDatabaseName(name)) return name;
  throw usageFault(`${flag} ${JSON.stringify(name)}: MongoDB allows no such name of a database; it ${databaseNameRule}`);
}

/** @throws CommandFault EUSAGE for what MongoDB refuses */
export function checkCollectionName<Name extends string | undefined>(flag: string, name: Name): Name {
  if (name === undefined || isCollectionName(name)) return name;
  throw usageFault(`${flag} ${JSON.stringify(name)}: MongoDB allows no such name of a collection; it ${collectionNameRule}`);
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

/** Without a thread, that of the node's global memory. */
export function memoryAddress(nodeId: string, threadId: string | undefined): MemoryAddress {
  return threadId === undefined ? { nodeId } : { nodeId, scope: "perThread", threadId };
}

function noDestination(): CommandFault {
  return usageFault("no destination was named; pass --to-node, --to-thread, --to-uri, --to-db or --to-collection, or --to-dir for a folder");
}

function noMemory(): CommandFault {
  return usageFault("no memory was named; pass --uri (or set MONGODB_URI) with --node, or --dir for a folder");
}
