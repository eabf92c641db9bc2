import { type MemoryBackend, nameStorage } from "./backend.js";
import type { CallContext } from "../runtime/call.js";
import { RecentMap } from "../runtime/recent-map.js";
import { type Change, type ChangeOptions, type ChangeResult, foundNothing } from "../tree/change.js";

/**
 * The changes of this process that have an identity, made or under way, by storage and identity. Null: nothing was changed. Only the last 10,000
 * are kept.
 */
const changes = new RecentMap<Promise<ChangeResult | null>>(10_000);

/**
 * Makes a change, unless a change with its identity was made before: then returns the first result. A storage that keeps
 * identities does this itself, across processes.
 */
export async function changeOnce(
  backend: MemoryBackend,
  change: Change,
  options: ChangeOptions,
  call: CallContext,
): Promise<ChangeResult> {
  const { changeId } = call;
  if (changeId === null || backend.features?.makesOnce === true) return backend.change(change, options, call);
  const key = `${nameStorage(backend)} ${changeId}`;
  for (let earlier = changes.get(key); earlier !== undefined; earlier = changes.get(key)) {
    const result = await earlier;
    if (result !== null) return result;
  }
  const making = backend.change(change, options, call);
  const forget = (): null => {
    changes.delete(key);
    return null;
  };
  const keep = (result: ChangeResult): ChangeResult | null =>
    foundNothing(change, result) ? forget() : { ...result, madeAt: new Date() };
  changes.set(key, making.then(keep, forget));
  return making;
}

/** Returns the text of a file that is edited, or the result of the edit if it was made before. @throws ENOENT, EISDIR */
export async function readForEdit(
  backend: MemoryBackend,
  path: string,
  call: CallContext,
): Promise<string | ChangeResult> {
  if (call.changeId === null) return backend.read(path, call);
  let before: string | null = null;
  const edit = (text: string): never => {
    before = text;
    throw new Error("nothing is changed");
  };
  try {
    // Does not call the edit if it was made before. Reason: the text does not say so, and may not fit the edit any more.
    return await changeOnce(backend, { type: "edit", path, edit }, {}, call);
  } catch (error) {
    if (before === null) throw error;
    return before;
  }
}
