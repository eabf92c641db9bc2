import type { Memory } from "../../core/memory.js";
import type { CheckedAddress } from "../../core/values/address.js";
import type { PathRule } from "../../core/values/paths.js";
import { largestFileBytes } from "../../core/values/text.js";
import type { MemoryDatabase } from "../../mongodb/admin/memory-database.js";
import { programName } from "../command.js";
import type { CliContext } from "../context.js";
import { about, usageError } from "../errors.js";
import { redactUri } from "../redact.js";
import { formatAddress } from "./address.js";
import { assertThere, describeMissing, reportNew } from "./missing-memory.js";
import { type DatabaseTarget, getDatabaseTarget, getMemoryAddress, type TargetOptions } from "./target-options.js";

export interface OpenSettings {
  /** "read": the memory creates no index and no collection. */
  access: "read" | "write";
  /**
   * Treatment of a memory that was never written. `refuse` refuses it; all others treat it as empty. `announce` says
   * before the command that the memory does not exist. `report` says after the command that the memory was created.
   * @default "refuse"
   */
  missing?: "refuse" | "allow" | "announce" | "report";
  /** @default the limit of a store */
  maxFileBytes?: number;
}

/** Settings for a memory that receives files. The files may be as large as the application once allowed. */
export const transferSettings = { access: "write", missing: "allow", maxFileBytes: largestFileBytes } as const;

/** One open memory of a database. */
export interface OpenTarget {
  memory: Memory;
  /** The name in messages. */
  name: string;
  database: MemoryDatabase;
  address: CheckedAddress;
}

/** Opens the memory that the options name, and closes it after `run`. @throws CommandError */
export async function withMemory<T>(
  context: CliContext,
  options: TargetOptions,
  use: OpenSettings,
  run: (open: OpenTarget) => Promise<T>,
): Promise<T> {
  const { env } = context.io;
  const memoryAddress = getMemoryAddress(options, env);
  const { paths, as } = options;
  const { missing = "refuse" } = use;
  const note = (sentence: string): Promise<void> => context.err.note(sentence, options.json === true);
  return withDatabase(getDatabaseTarget(options, env), async (database) => {
    if (missing === "refuse") await assertThere(database, memoryAddress);
    if (missing === "announce") {
      const described = await describeMissing(database, memoryAddress);
      if (described !== null) await note(`${described.message}, and the first change makes it; ${described.advice}`);
    }
    const runOpen = (): Promise<T> => run(openMemoryIn(database, memoryAddress, { ...use, paths, as }));
    return missing === "report" ? reportNew(database, memoryAddress, note, runOpen) : runOpen();
  });
}

/** Opens the database that the options name. Errors name its collection of memories. @throws CommandError */
export function withMemories<T>(
  { io }: CliContext,
  options: TargetOptions,
  run: (database: MemoryDatabase) => Promise<T>,
): Promise<T> {
  return withDatabase(getDatabaseTarget(options, io.env), (database) =>
    about(`the collection ${database.collectionName}`, () => run(database)),
  );
}

/** @throws CommandError */
export async function withDatabase<T>(
  target: DatabaseTarget,
  run: (database: MemoryDatabase) => Promise<T>,
): Promise<T> {
  const { MemoryDatabase } = await import("../../mongodb/admin/memory-database.js");
  const database = await about(redactUri(target.uri), () => MemoryDatabase.connect(target)).catch((error: unknown) => {
    if (error instanceof TypeError) throw usageError(`--uri: ${error.message}`, error);
    throw error;
  });
  try {
    return await run(database);
  } finally {
    await database.close();
  }
}

interface DatabaseSettings extends OpenSettings {
  paths?: PathRule | undefined;
  /** The user of `--as`. */
  as?: string | undefined;
}

export function openMemoryIn(database: MemoryDatabase, address: CheckedAddress, use: DatabaseSettings): OpenTarget {
  const { access, paths, as, maxFileBytes } = use;
  const actor = { client: programName, ...(as !== undefined && { userId: as }) };
  return {
    memory: database.memory(address, access, { paths, maxFileBytes }).with({ actor }),
    name: formatAddress(address),
    database,
    address,
  };
}
