import { stat } from "node:fs/promises";
import { actorField, maxActorChars } from "../../core/values/actor.js";
import { checkAddress, type CheckedAddress, type MemoryAddress } from "../../core/values/address.js";
import type { ArchivedHistory, ArchivedTree } from "../../core/history/archived-version.js";
import { MemoryError } from "../../core/values/errors.js";
import type { Memory } from "../../core/memory.js";
import { memoryBytesCeiling, memoryDefaults } from "../../core/memory-options.js";
import type { PathRule } from "../../core/values/paths.js";
import type { ArchivedMemory, MemoryDatabase, MemoryMoment } from "../../mongodb/admin/memory-database.js";
import { shorten } from "../../core/values/text.js";
import { programName } from "../command.js";
import { about, inputFault, usageFault, withFile } from "../fault.js";
import type { CliContext } from "../context.js";
import { redactUri } from "../redact.js";
import { assertThere, missingMemory, tellingOfNew } from "./missing-memory.js";
import { nameOf } from "./memory-name.js";
import { withMounts } from "./mount-options.js";
import { type DatabaseTarget, type FolderTarget, type Target, type TargetOptions, targetOf } from "./target-options.js";

/**
 * `read` and `change` need a memory that is there; `readAny` takes one that is not for empty; the others make it.
 * `restore` is `write` without the limit that an application sets for a file: what it once took, it takes again.
 */
type Access = "read" | "readAny" | "change" | "write" | "restore";

const makesNothing = (access: Access): boolean => access === "read" || access === "readAny";

interface MemoryArchive {
  /** Null where there is no memory. It must be closed. */
  read: () => Promise<ArchivedMemory | null>;
  /** @param key the same for the same content only. @returns false where there is a memory already */
  restore: (tree: ArchivedTree, history: ArchivedHistory, key: string) => Promise<boolean>;
}

/** One memory, ready for use. */
export interface OpenMemory {
  kind: "database" | "folder";
  memory: Memory;
  /** Null for a folder. */
  address: CheckedAddress | null;
  /** For messages; without passwords. */
  name: string;
  paths: PathRule;
  /** Whether all of it must fit into one document. */
  isOneDocument: boolean;
  /** The memory at one moment, to be read in parts; null where it is read as a whole, and for a folder. */
  moment: () => Promise<MemoryMoment | null>;
  /** The memory with its history; null where none is kept. */
  archive: MemoryArchive | null;
  /** The same memory, whose changes are dated; null where the storage dates them itself. */
  dated: ((time: Date) => Memory) | null;
}

/** A memory with what is known of its storage. */
export interface OpenTarget extends OpenMemory {
  /** A sentence for each memory of the tree that was never written. */
  missing: () => Promise<string[]>;
  /** Runs what may make memories, and tells a sentence of each that it has made. */
  tellingOfNew: <T>(tell: (sentence: string) => Promise<void>, run: () => Promise<T>) => Promise<T>;
}

/** Opens the memory that the options name, and closes it after `run`. @throws CommandFault */
export function withMemory<T>(
  context: CliContext,
  options: TargetOptions,
  access: Access,
  run: (open: OpenTarget) => Promise<T>,
): Promise<T> {
  return withTarget(targetOf(options, context.io.env), access, run);
}

export async function withTarget<T>(target: Target, access: Access, run: (open: OpenTarget) => Promise<T>): Promise<T> {
  if (target.kind === "folder") return run(await openFolder(target, access));
  const { mounts, paths, as } = target;
  const address = checkedAddressOf(target.address);
  const addresses = [address, ...mounts.map((mount) => mount.address)];
  return withDatabase(target, async (database) => {
    if (access === "read" || access === "change") for (const each of addresses) await assertThere(database, each);
    const own = memoryIn(database, address, { access, paths, as });
    const memory = withMounts(
      own.memory,
      mounts,
      (mounted) => memoryIn(database, mounted, { access, paths, as }).memory,
    );
    return run({
      ...own,
      memory,
      missing: async () => {
        const found = await Promise.all(addresses.map((each) => missingMemory(database, each)));
        return found.flatMap((missing) =>
          missing === null ? [] : [`${missing.message}, and the first change makes it; ${missing.advice}`],
        );
      },
      tellingOfNew: (tell, make) => tellingOfNew(database, addresses, tell, make),
    });
  });
}

/** @throws CommandFault */
export async function withDatabase<T>(
  target: DatabaseTarget,
  run: (database: MemoryDatabase) => Promise<T>,
): Promise<T> {
  const { MemoryDatabase } = await import("../../mongodb/admin/memory-database.js");
  const database = await about(redactUri(target.uri), () => MemoryDatabase.connect(target)).catch((error: unknown) => {
    if (error instanceof TypeError) throw usageFault(`--uri or --to-uri: ${error.message}`, error);
    throw error;
  });
  try {
    return await run(database);
  } finally {
    await database.close();
  }
}

interface MemoryUse {
  access: Access;
  paths: PathRule;
  /** Of `--as`. */
  as?: string | undefined;
}

/** @throws CommandFault EUSAGE for what is no id of a user */
export function memoryIn(
  database: MemoryDatabase,
  address: CheckedAddress,
  { access, paths, as }: MemoryUse,
): OpenMemory {
  const actor = { client: programName, ...(as !== undefined && { userId: as }) };
  const open = (clock?: () => Date): Memory =>
    database
      .memory(address, makesNothing(access) ? "read" : "write", { paths, clock, maxFileBytes: maxFileBytesFor(access) })
      .with({ actor });
  if (as !== undefined && !actorField.safeParse(actor).success)
    throw usageFault(`--as ${JSON.stringify(shorten(as, 64))}: a user id has 1 to ${maxActorChars} characters`);
  return {
    kind: "database",
    memory: open(),
    address,
    name: nameOf(address),
    paths,
    isOneDocument: database.layout.limitsByDefault,
    moment: () => database.moment(address, makesNothing(access) ? "read" : "write"),
    archive: {
      read: () => database.archived(address),
      restore: (tree, history, key) => database.restore(address, tree, history, key),
    },
    dated: (time) => open(() => time),
  };
}

const maxFileBytesFor = (access: Access): number =>
  access === "restore" ? memoryBytesCeiling : memoryDefaults.maxFileBytes;

/** Reading never makes the folder; a mistyped name is a fault, not an empty memory. */
async function openFolder({ dir, paths }: FolderTarget & { paths: PathRule }, access: Access): Promise<OpenTarget> {
  if (makesNothing(access)) {
    const found = await withFile(`--dir ${dir}`, "read", () => stat(dir));
    if (!found.isDirectory())
      throw inputFault(`--dir ${dir}: it is a file; name the folder that the memory is kept in`);
  }
  const { openDirectoryMemory } = await import("../../backends/directory/open-directory-memory.js");
  const memory = opened(dir, () => openDirectoryMemory({ dir, paths, maxFileBytes: maxFileBytesFor(access) }));
  const name = `the folder ${dir}`;
  const none = { archive: null, dated: null, isOneDocument: false, moment: async () => null };
  return {
    kind: "folder",
    memory,
    address: null,
    name,
    paths,
    ...none,
    missing: async () => [],
    tellingOfNew: (_tell, run) => run(),
  };
}

/** @throws CommandFault EUSAGE */
export function checkedAddressOf(address: MemoryAddress): CheckedAddress {
  try {
    return checkAddress(address);
  } catch (error) {
    if (MemoryError.isInstance(error))
      throw usageFault(`--node, --thread or --user: ${error.message}; pass the ids that the application uses`, error);
    throw error;
  }
}

/** @throws CommandFault EUSAGE */
function opened(dir: string, open: () => Memory): Memory {
  try {
    return open();
  } catch (error) {
    if (error instanceof TypeError)
      throw usageFault(
        `--dir ${dir}: ${error.message.replace(/^.*: dir: /, "")}; pass the folder of one memory`,
        error,
      );
    throw error;
  }
}
