import type { MemoryBackend } from "./backend.js";
import type { CallContext } from "../runtime/call.js";
import type { MemorySnapshot, VersionedFile, VersionedSnapshot } from "../tree/snapshot.js";

/**
 * A snapshot that has all texts where the backend cannot leave out those that are known. @param known the versions of
 * texts, by path
 */
export async function snapshotSince(
  backend: MemoryBackend,
  known: ReadonlyMap<string, string>,
  call: CallContext,
): Promise<VersionedSnapshot> {
  if (backend.features?.snapshotSince !== undefined) return backend.features.snapshotSince(known, call);
  return withoutVersions(await backend.snapshot(call));
}

/** The snapshot of a storage that keeps no versions of texts. */
export function withoutVersions({ files, directories }: MemorySnapshot): VersionedSnapshot {
  return { files: files.map(({ path, content }) => ({ path, version: null, content })), directories };
}

/** By path. What has none is read again each time. */
export function getVersions(files: readonly VersionedFile[]): Map<string, string> {
  return new Map(files.flatMap(({ path, version }): [string, string][] => (version === null ? [] : [[path, version]])));
}
