import { deleteEmptyDirectory } from "./planned-changes.js";
import { openMemoryOver } from "../../core/open-memory-over.js";
import type { BackendLimits, MemoryBackend } from "../../core/contract/backend.js";
import type { CallContext } from "../../core/runtime/call.js";
import type { CheckedAddress } from "../../core/values/address.js";
import { MemoryError } from "../../core/values/errors.js";
import type { Memory } from "../../core/memory.js";
import { memoryDefaults } from "../../core/memory-options.js";
import { compareCodeUnits } from "../../core/values/text.js";
import type { CheckedOperation } from "../operations/checked-operation.js";
import { groupedByMemory, type MemoryLocation } from "../operations/memory-location.js";
import type { MemoryLayout } from "./contract/layout.js";
import type { PlannedWrite } from "./contract/stored-memory.js";

/** A put or delete of a file of a memory through the store. */
export type FileWrite = Extract<CheckedOperation, { kind: "putMemory" | "deleteMemory" }>;

/**
 * The less strict path rule, so that every file of any memory can be put. The call of the store has its own time limit.
 */
const memoryOptions = { ...memoryDefaults, paths: "posix", timeoutMs: Infinity } as const;

/** Opens the memory of a location with the options for the methods of the store. */
export function memoryAt(
  { address }: MemoryLocation,
  layout: MemoryLayout,
  { clock, signal }: { clock?: () => Date; signal?: AbortSignal } = {},
): Memory {
  const open = (checked: CheckedAddress, limits: BackendLimits): MemoryBackend =>
    layout.backend(checked, limits, clock);
  const memory = openMemoryOver(open, address, memoryOptions);
  return signal === undefined ? memory : memory.with({ signal });
}

/**
 * Refuses writes that the memories in their present state would refuse, so that a batch is refused as a whole. After
 * this check, only a change by someone else in between can stop a batch half-way.
 */
export async function checkFileWrites(
  layout: MemoryLayout,
  writes: readonly FileWrite[],
  call: CallContext,
): Promise<void> {
  const withNamespaces = writes.map((write) => ({ ...write, namespace: write.location.namespace }));
  await Promise.all(
    Array.from(groupedByMemory(withNamespaces).values(), async (ofMemory) => {
      const [first] = ofMemory;
      if (first === undefined) return;
      const memory = layout.open(first.location.address, memoryOptions);
      await memory.checkChanges(inOrder(ofMemory).flatMap(planWrite), memoryOptions, call);
    }),
  );
}

/**
 * Makes the writes; each location occurs at most once. A put is a `write` of the memory, and no delete is recursive.
 */
export async function writeFiles(layout: MemoryLayout, writes: readonly FileWrite[], call: CallContext): Promise<void> {
  for (const write of inOrder(writes)) {
    const { address } = write.location;
    for (const change of planWrite(write)) {
      if (change.kind === "put")
        await memoryAt(write.location, layout, { signal: call.signal }).write(change.path, change.content);
      else if (change.kind === "deleteFile")
        await deleteFile(layout.backend(address, memoryOptions), change.path, call);
      else await deleteEmptyDirectory(layout.open(address, memoryOptions), change.path, call);
    }
  }
}

/** Deletes a file. A directory of that name stays: the key of the delete means a file. */
async function deleteFile(backend: MemoryBackend, path: string, call: CallContext): Promise<void> {
  try {
    await backend.change({ type: "delete", path, ifDirectory: "fail" }, {}, call);
  } catch (error) {
    if (!MemoryError.isInstance(error) || error.code !== "EISDIR") throw error;
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
