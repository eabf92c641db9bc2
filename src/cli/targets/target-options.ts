import { Option } from "commander";
import { patternField } from "../../core/access/policy.js";
import { actorField, maxActorChars } from "../../core/values/actor.js";
import { checkAddress, type CheckedAddress, checkId } from "../../core/values/address.js";
import type { PathRule } from "../../core/values/paths.js";
import { getField } from "../../core/values/unknown-values.js";
import {
  checkForgotten,
  collectionNameRule,
  databaseNameRule,
  isCollectionName,
  isDatabaseName,
} from "../../mongodb/admin/checks.js";
import { type JsonOption, memoryOptionGroup } from "../command.js";
import { pickDefined } from "../../core/settings/pick-defined.js";
import { asUsage, usageError } from "../errors.js";
import { createAddress, type TargetOwner } from "./address.js";
import type { CliIo } from "../terminal/io.js";

/** The options that name a memory. */
export interface TargetOptions extends JsonOption {
  uri?: string;
  db?: string;
  memoriesCollection?: string;
  node?: string;
  thread?: string | undefined;
  user?: string | undefined;
  paths?: PathRule | undefined;
  as?: string;
}

/** Creates an option of the help's group on which memory is used. */
export const memoryOption = (flags: string, description: string): Option =>
  new Option(flags, description).helpGroup(memoryOptionGroup);

/** An option for the id of a node, a thread or a user. */
export function idOption(flags: string, description: string): Option {
  const named = memoryOption(flags, description);
  const advice = "pass the ids that the application uses";
  return named.argParser((id: string) => asUsage(named.long ?? flags, () => checkId(id, "id"), advice));
}

export function databaseNameOption(flags: string, description: string): Option {
  return nameOption(new Option(flags, description), isDatabaseName, `name of a database; it ${databaseNameRule}`);
}

export function collectionNameOption(flags: string, description: string): Option {
  return nameOption(new Option(flags, description), isCollectionName, `name of a collection; it ${collectionNameRule}`);
}

function nameOption(named: Option, isLegal: (name: string) => boolean, rule: string): Option {
  return named.argParser((name: string) => {
    if (isLegal(name)) return name;
    throw usageError(`${named.long} ${JSON.stringify(name)}: MongoDB allows no such ${rule}`);
  });
}

export const databaseOptions: readonly Option[] = [
  memoryOption(
    "--uri <string>",
    "connection string of MongoDB; a password is safer in the variable MONGODB_URI, because `ps` shows arguments",
  ),
  databaseNameOption("--db <name>", "database (default: that of the connection string)").helpGroup(memoryOptionGroup),
  collectionNameOption("--memories-collection <name>", 'collection of the memories (default: "memories")').helpGroup(
    memoryOptionGroup,
  ),
];

/** The options that name a memory of a database. */
export const memoryOptions: readonly Option[] = [
  ...databaseOptions,
  idOption("--node <id>", "node id of the memory"),
  idOption(
    "--thread <id>",
    "thread id, for the memory of that thread; without --thread and --user it is the node's global memory",
  ),
  idOption("--user <id>", "user id, for the memory of that user"),
  // The default is the rule that allows most names: no name should stop administration.
  memoryOption("--paths <rule>", "the name rule: which names can be created")
    .choices(["posix", "plain"])
    .default("posix"),
];

/**
 * The user that a version names, besides this program. By default a version names no user, because user ids belong to
 * the application, and not to this machine.
 */
export const actorOption = new Option(
  "--as <user>",
  'user id for the history: who makes the change, such as "$USER" (default: none, only this program)',
).argParser((given: string) => {
  if (actorField.safeParse({ userId: given }).success) return given;
  throw usageError(`--as ${JSON.stringify(given)}: a user id has 1 to ${maxActorChars} characters`);
});

/** Options of commands that change a memory. */
export const changeOptions: readonly Option[] = [...memoryOptions, actorOption];

/** Options of commands that work on several memories. */
export const ownerOptions: readonly Option[] = [
  idOption("--node <id>", "node id of the memory (default: all nodes)"),
  idOption("--thread <id>", "memories of this thread"),
  idOption("--user <id>", "memories of this user"),
];

/** The options that name one memory of a database. */
export const memoryFlags = ["node", "thread", "user"] as const;

/** Refuses options that would have no effect. @throws CommandError EUSAGE if one of them was given */
export function refuseOptions(options: object, names: readonly string[], reason: string): void {
  const given = names.find((name) => getField(options, name) !== undefined);
  if (given === undefined) return;
  const flag = given.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  throw usageError(`--${flag} ${reason}`);
}

/** @throws CommandError EUSAGE for a pattern that the options of the program refuse */
export function checkPatterns(flag: string, patterns: readonly string[] = []): void {
  for (const pattern of patterns) {
    const [issue] = patternField.safeParse(pattern).error?.issues ?? [];
    if (issue !== undefined) throw usageError(`${flag} ${JSON.stringify(pattern)}: ${issue.message}`);
  }
}

export interface DatabaseTarget {
  uri: string;
  dbName: string | undefined;
  memoriesCollection: string | undefined;
}

type Env = CliIo["env"];

/** @throws CommandError EUSAGE */
export function getDatabaseTarget(options: TargetOptions, env: Env): DatabaseTarget {
  const uri = getUri(options, env);
  return { uri, dbName: options.db ?? getDatabaseName(uri), memoriesCollection: options.memoriesCollection };
}

/** @throws CommandError EUSAGE */
function getUri(options: TargetOptions, env: Env): string {
  const uri = options.uri ?? env["MONGODB_URI"] ?? "";
  if (uri === "") throw usageError("no database was named; pass --uri, or set MONGODB_URI");
  return uri;
}

/** Returns the database that a connection string names. Ignores an illegal name: the driver refuses the string. */
export function getDatabaseName(uri: string | undefined): string | undefined {
  const encoded = /^mongodb(?:\+srv)?:\/\/[^/?]+\/([^?]+)/.exec(uri ?? "")?.[1];
  if (encoded === undefined) return undefined;
  try {
    const name = decodeURIComponent(encoded);
    return isDatabaseName(name) ? name : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the memory that the options must name. @throws CommandError EUSAGE */
export function getMemoryAddress(options: TargetOptions, env: Env): CheckedAddress {
  if (options.node === undefined) {
    if (options.uri === undefined && !env["MONGODB_URI"])
      throw usageError("no memory was named; pass --uri (or set MONGODB_URI) with --node");
    throw usageError("no memory was named; pass --node, and --thread or --user for the memory of one thread or user");
  }
  getUri(options, env);
  return getAddress(options.node, options);
}

/** @throws CommandError EUSAGE */
function getAddress(node: string, owner: TargetOwner): CheckedAddress {
  refuseTwoOwners(owner);
  return checkAddress(createAddress(node, owner));
}

/** Returns the ids in the form of a memory filter. @throws CommandError EUSAGE */
export function getOwner({ node, thread, user }: TargetOptions): object {
  refuseTwoOwners({ thread, user });
  return pickDefined({ nodeId: node, threadId: thread, userId: user });
}

/**
 * Returns the memories that the options name: that of a node, or those of a thread or a user in all nodes.
 * @param what what is named, for the refusal
 * @throws CommandError EUSAGE
 */
export function getNamedMemories(input: TargetOptions, what: string): ReturnType<typeof checkForgotten> {
  const { node, thread, user } = input;
  if ((node ?? thread ?? user) === undefined) throw usageError(`name ${what}: pass --node, --thread or --user`);
  return checkForgotten(node === undefined ? getOwner(input) : getOptionalAddress(input));
}

function refuseTwoOwners({ thread, user }: TargetOwner): void {
  if (thread !== undefined && user !== undefined)
    throw usageError(
      "--thread and --user exclude each other, as a memory is of a thread or of a user; pass one of them",
    );
}

/**
 * Returns the memory that `--node`, `--thread` and `--user` name, or undefined for all.
 * @param advice what to do if `--thread` or `--user` comes without `--node`
 * @throws CommandError EUSAGE
 */
export function getOptionalAddress(
  { node, thread, user }: TargetOptions,
  advice = "leave both out for all memories",
): CheckedAddress | undefined {
  if (node !== undefined) return getAddress(node, { thread, user });
  refuseOptions({ thread, user }, ["thread", "user"], `needs --node; ${advice}`);
  return undefined;
}
