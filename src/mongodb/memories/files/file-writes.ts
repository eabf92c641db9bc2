import { getPlanScope, type PlannedWrite, planChanges } from "./planned-changes.js";
import { openMemoryOver } from "../../../core/open-memory-over.js";
import type { BackendLimits, MemoryBackend } from "../../../core/contract/backend.js";
import type { CallContext } from "../../../core/runtime/call.js";
import type { CheckedAddress } from "../../../core/values/address.js";
import { hasCode } from "../../../core/values/errors.js";
import type { Memory } from "../../../core/memory.js";
import { memoryDefaults } from "../../../core/memory-options.js";
import { compareCodeUnits } from "../../../core/values/text.js";
import type { CheckedOperation } from "../../operations/checked-operation.js";
import { groupedByMemory, type MemoryLocation } from "../../operations/memory-location.js";
import { checkChanges, transact } from "../changing/transact.js";
import { type MemoriesContext, openContext } from "../memory-context.js";
import { openMongoMemory } from "../mongo-memory.js";

/** A put or delete of a file of a memory through the store. */
export type FileWrite = Extract<CheckedOperation, { kind: "putMemory" | "deleteMemory" }>;

/**
 * The less strict path rule, so that every file of any memory can be put. The call of the store has its own time limit.
 */
const memoryOptions = { ...memoryDefaults, paths: "posix", timeoutMs: Infinity } as const;

/** Opens the memory of a location with the options for the methods of the store. */
function memoryAt({ address }: MemoryLocation, memories: MemoriesContext, signal: AbortSignal): Memory {
  const open = (checked: CheckedAddress, limits: BackendLimits): MemoryBackend =>
    openMongoMemory(memories, checked, limits);
  return openMemoryOver(open, address, memoryOptions).with({ signal });
}

/**
 * Refuses writes that the memories in their present state would refuse, so that a batch is refused as a whole. After
 * this check, only a change by someone else in between can stop a batch half-way, and only between two memories.
 */
export async function checkFileWrites(
  memories: MemoriesContext,
  writes: readonly FileWrite[],
  call: CallContext,
): Promise<void> {
  await Promise.all(
    groupByMemory(writes).map(async (ofMemory) => {
      const [first] = ofMemory;
      if (first === undefined) return;
      const memory = openContext(memories, first.location.address, memoryOptions);
      await checkChanges(memory, inOrder(ofMemory).flatMap(planWrite), memoryOptions, call);
    }),
  );
}

function groupByMemory(writes: readonly FileWrite[]): FileWrite[][] {
  return [...groupedByMemory(writes.map((write) => ({ ...write, namespace: write.location.namespace }))).values()];
}

/**
 * Makes the writes; each location occurs at most once. All writes of one memory are made in one step. A put is a
 * `write` of the memory, and no delete is recursive.
 */
export async function writeFiles(
  memories: MemoriesContext,
  writes: readonly FileWrite[],
  call: CallContext,
): Promise<void> {
  for (const ofMemory of groupByMemory(writes)) {
    const changes = inOrder(ofMemory).flatMap(planWrite);
    const [first] = ofMemory;
    const [change] = changes;
    if (first === undefined || change === undefined) continue;
    if (changes.length === 1 && change.kind !== "deleteDirectory")
      await writeFile(memories, first.location, change, call);
    else await writePlanned(memories, first.location, changes, call);
  }
}

async function writePlanned(
  memories: MemoriesContext,
  { address }: MemoryLocation,
  changes: readonly PlannedWrite[],
  call: CallContext,
): Promise<void> {
  await transact<void>(
    openContext(memories, address, memoryOptions),
    getPlanScope(changes),
    (tree, { at }) => ({ edits: planChanges(tree, changes, memoryOptions, at), result: undefined }),
    call,
  );
}

/** Puts or deletes a file. A directory of that name stays: the key of the delete means a file. */
async function writeFile(
  memories: MemoriesContext,
  location: MemoryLocation,
  change: Exclude<PlannedWrite, { kind: "deleteDirectory" }>,
  call: CallContext,
): Promise<void> {
  const { path } = change;
  if (change.kind === "put") {
    await memoryAt(location, memories, call.signal).write(path, change.content);
    return;
  }
  const backend = openMongoMemory(memories, location.address, memoryOptions);
  try {
    await backend.change({ type: "delete", path, ifDirectory: "fail" }, {}, call);
  } catch (error) {
    if (!hasCode(error, "EISDIR")) throw error;
  }
}

/** Plans the write of one location. Empty if no memory can have the path. */
function planWrite(write: FileWrite): PlannedWrite[] {
  const { path, kind } = write.location;
  if (path === null) return [];
  if (write.kind === "putMemory") return [{ kind: "put", path, content: write.content }];
  return [{ kind: kind === "file" ? "deleteFile" : "deleteDirectory", path }];
}

const isPut = ({ kind }: FileWrite): boolean => kind === "putMemory";
const isOfDirectory = ({ location }: FileWrite): boolean => location.kind === "dir";

/** Puts deletes first, files before directories, so that the order within a batch never matters. */
function inOrder<Write extends FileWrite>(writes: readonly Write[]): Write[] {
  const deepestFirst = (a: FileWrite, b: FileWrite): number => -compareCodeUnits(a.location.key, b.location.key);
  const deletes = writes.filter((write) => !isPut(write));
  return [
    ...deletes.filter((write) => !isOfDirectory(write)),
    ...deletes.filter(isOfDirectory).toSorted(deepestFirst),
    ...writes.filter(isPut),
  ];
}
