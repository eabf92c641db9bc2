import type { CallContext } from "../runtime/call.js";
import { type Change, isKept } from "../tree/change.js";
import { loadTree, type MemoryBackend } from "../contract/backend.js";
import type { Policies } from "./policies.js";
import type { NeededAccess } from "./policy.js";

/**
 * Decides whether a change is allowed at once or needs the approval of a person.
 * @param looksBelow whether to check every path below a deleted or moved directory. Otherwise the change itself does
 * @throws MemoryError EACCES
 */
export async function authorizeChange(
  policies: Policies,
  change: Change,
  backend: MemoryBackend,
  call: CallContext,
  looksBelow = policies.mayAsk,
): Promise<"allow" | "ask"> {
  const needs = getNeeds(change);
  if (needs.map(({ path, needed }) => policies.decide(path, needed)).includes("ask")) return "ask";
  if (!looksBelow || !policies.vary || (change.type !== "delete" && change.type !== "rename")) return "allow";
  // Every path below the directory counts, also a path that will refuse the change.
  const whole: Change = change.type === "delete" ? { ...change, ifDirectory: "delete" } : change;
  const tree = await loadTree(backend, whole, call);
  const decideBelow = (below: string): string[] =>
    needs.map(({ path, needed }) => policies.decide(path + below.slice(change.path.length), needed));
  const keeps = change.type === "delete" ? change.keeps : [];
  const changed = tree.pathsWithin(change.path).filter((path) => !isKept(path, keeps));
  return changed.flatMap(decideBelow).includes("ask") ? "ask" : "allow";
}

/** Returns the access that a change needs on each path that it names. */
function getNeeds(change: Change): { path: string; needed: NeededAccess }[] {
  const { path } = change;
  switch (change.type) {
    case "append":
      return [{ path, needed: "append" }];
    case "write":
      // A write that creates a file replaces nothing.
      return [{ path, needed: change.ifExists === "fail" ? "append" : "write" }];
    case "update":
    case "edit":
    case "delete":
      return [{ path, needed: "write" }];
    case "rename":
      return [
        { path, needed: "write" },
        { path: change.to, needed: "write" },
      ];
  }
}
