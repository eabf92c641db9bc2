import type { MemoryBackend } from "./backend.js";
import type { CallContext } from "../runtime/call.js";
import type { VersionedFile, VersionedSnapshot } from "../tree/snapshot.js";

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
  const { files, directories } = await backend.snapshot(call);
  return { files: files.map(({ path, content }) => ({ path, version: null, content })), directories };
}

/** By path. What has none is read again each time. */
export function getVersions(files: readonly VersionedFile[]): Map<string, string> {
  return new Map(files.flatMap(({ path, version }): [string, string][] => (version === null ? [] : [[path, version]])));
}
