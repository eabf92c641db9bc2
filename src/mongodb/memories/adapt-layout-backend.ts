import type { MemoryBackend } from "../../core/contract/backend.js";
import type { CallContext } from "../../core/runtime/call.js";
import { type Change, type ChangeOptions, type ChangeResult, noResult } from "../../core/tree/change.js";
import type { VersionedSnapshot } from "../../core/tree/snapshot.js";
import { MemoryError, withPath } from "../../core/values/errors.js";
import { normalizePath } from "../../core/values/paths.js";
import type { LayoutBackend } from "./layout-backend.js";

/** Presents the memory of a layout as a backend. */
export function adaptLayoutBackend(layout: LayoutBackend): MemoryBackend {
  const open = (call: CallContext): LayoutBackend => {
    const own = call.actor === null ? layout : (layout.forActor?.(call.actor) ?? layout);
    return own.forCall?.(call) ?? own;
  };
  const features: NonNullable<MemoryBackend["features"]> = {
    ...(layout.storage !== undefined && { storage: layout.storage }),
    version: async (call) => (await open(call).version?.()) ?? null,
    snapshotSince: (known, call) => getSnapshotSince(open(call), known),
    prefilter: async (query, path, call) => (await open(call).narrow?.(query, path)) ?? null,
    listen: async () => (await layout.listen?.()) ?? null,
    ...(layout.meaning?.() && { embeddings: (call: CallContext) => required(open(call).meaning?.()) }),
    ...(layout.history?.() && { history: (call: CallContext) => required(open(call).history?.()) }),
    ...(layout.records && { approvals: (call: CallContext) => required(open(call).records?.()) }),
  };
  return {
    read: (path, call) => open(call).read(path),
    readFiles: (paths, call) => open(call).readFiles(paths),
    list: (path, call) => open(call).list(path),
    stat: (path, call) => open(call).stat(path),
    snapshot: (call) => open(call).snapshot(),
    outline: (options, call) => open(call).outline(options),
    change: (change, options, call) => makeChange(open(call), change, options),
    features,
  };
}

async function makeChange(layout: LayoutBackend, change: Change, { checkPath }: ChangeOptions): Promise<ChangeResult> {
  const { path } = change;
  switch (change.type) {
    case "append":
      await layout.append(path, change.content, change.create);
      return noResult;
    case "write":
      return { ...noResult, file: await layout.write(path, change.content, change) };
    case "update":
      return { ...noResult, replaced: await layout.replace(path, change.oldContent, change.content) };
    case "edit":
      return { ...noResult, file: await layout.edit(path, change.edit) };
    case "delete":
      return { ...noResult, deleted: await layout.delete(path, change.ifDirectory, checkPath) };
    case "rename": {
      const { to } = change;
      const checkMoved = (moved: string): void => {
        normalizePath(moved);
        checkPath?.(path + moved.slice(to.length));
        checkPath?.(moved);
      };
      try {
        await layout.rename(path, to, checkMoved);
      } catch (error) {
        const namesTarget = MemoryError.isInstance(error) && (error.code === "EEXIST" || error.code === "ENOTDIR");
        throw namesTarget ? withPath(error, to) : error;
      }
      return noResult;
    }
  }
}

function required<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new TypeError("a layout has what it had when it was opened");
  return value;
}

export async function getSnapshotSince(
  layout: LayoutBackend,
  known: ReadonlyMap<string, string>,
): Promise<VersionedSnapshot> {
  if (layout.snapshotSince !== undefined) return layout.snapshotSince(known);
  const { files, directories } = await layout.snapshot();
  return { files: files.map(({ path, content }) => ({ path, version: null, content })), directories };
}
