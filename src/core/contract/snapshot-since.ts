import type { MemoryBackend } from "./backend.js";
import type { CallContext } from "../runtime/call.js";
import type { MemorySnapshot, VersionedFile, VersionedSnapshot } from "../tree/snapshot.js";

/**
 * Reads a snapshot without the known texts, or with all texts if the backend cannot leave any out. @param known
 * versions of texts, by path
 */
export async function snapshotSince(
  backend: MemoryBackend,
  known: ReadonlyMap<string, string>,
  call: CallContext,
): Promise<VersionedSnapshot> {
  if (backend.features?.snapshotSince !== undefined) return backend.features.snapshotSince(known, call);
  return withoutVersions(await backend.snapshot(call));
}

/** Converts the snapshot of a storage that keeps no versions of texts. */
export function withoutVersions({ files, directories }: MemorySnapshot): VersionedSnapshot {
  return { files: files.map(({ path, content }) => ({ path, version: null, content })), directories };
}

/** Returns the versions by path. A text without a version is read again each time. */
export function getVersions(files: readonly VersionedFile[]): Map<string, string> {
  return new Map(files.flatMap(({ path, version }): [string, string][] => (version === null ? [] : [[path, version]])));
}
