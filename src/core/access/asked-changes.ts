import type { Restrictions } from "./access.js";
import type { CheckedAddress } from "../values/address.js";
import { type AskedChange, type AskedMemory, makeAsked } from "../approval/asked-change.js";
import type { ChangeCommand, PlannedChange } from "../approval/change-record.js";
import { planDelete, planRename, planText, type TextWish } from "../approval/plan.js";
import type { MemoryCalls } from "../runtime/memory-calls.js";
import type { MemorySnapshot } from "../memory.js";
import type { CallContext } from "../runtime/call.js";
import { normalizePath } from "../values/paths.js";
import { MemoryTree } from "../tree/memory-tree.js";

export interface IntendedText {
  command: ChangeCommand;
  path: string;
  content: string;
}

/** The text that may be stored in place of the given one. */
export type CheckedText = (change: IntendedText, call: CallContext | undefined) => Promise<string>;

interface AskedMemoryParts {
  address: CheckedAddress;
  calls: MemoryCalls;
  restrictions: Restrictions;
  checkedText: CheckedText;
  maxFileBytes: number;
}

type Counts = PlannedChange["counts"] | null;

/**
 * The changes of one memory that a person is asked about before they are made. Each answers null where nothing would
 * change.
 */
export class AskedChanges {
  readonly #memory: AskedMemoryParts;

  constructor(memory: AskedMemoryParts) {
    this.#memory = memory;
  }

  /** @param content or what makes it of the text */
  text(
    path: string,
    wish: Pick<TextWish, "command" | "oldContent" | "isNew" | "create">,
    content: string | ((text: string) => string),
  ): Promise<Counts> {
    const { checkedText, maxFileBytes } = this.#memory;
    const { command } = wish;
    const madeOf = (before: string | null): string => (typeof content === "string" ? content : content(before ?? ""));
    return this.#make({ command, path, replay: madeOf }, (tree, shown, call) => {
      const contentFor = (before: string | null): Promise<string> =>
        checkedText({ command, path, content: madeOf(before) }, call);
      return planText(tree, { ...wish, path, contentFor, maxFileBytes }, shown);
    });
  }

  delete(path: string, ifDirectory: "delete" | "fail"): Promise<Counts> {
    const { restrictions } = this.#memory;
    return this.#make({ command: "delete", path }, (tree, shown) => {
      for (const below of tree.pathsWithin(path)) restrictions.verdict(below, "write");
      return planDelete(tree, path, ifDirectory, shown);
    });
  }

  rename(from: string, to: string): Promise<Counts> {
    const { restrictions } = this.#memory;
    return this.#make({ command: "rename", path: from }, (tree, shown) => {
      for (const moved of tree.pathsWithin(from)) {
        const place = normalizePath(to + moved.slice(from.length));
        for (const each of [moved, place]) restrictions.verdict(each, "write");
      }
      return planRename(tree, from, to, shown);
    });
  }

  #make(
    change: Omit<AskedChange, "plan">,
    planIn: (
      tree: MemoryTree,
      shown: (path: string) => string,
      call: CallContext | undefined,
    ) => PlannedChange | Promise<PlannedChange | null>,
  ): Promise<Counts> {
    const { address, calls, restrictions, checkedText, maxFileBytes } = this.#memory;
    return calls.onPath(change.path, "change", (backend, call) => {
      const memory: AskedMemory = {
        address,
        backend,
        asking: restrictions.asking,
        shown: (path) => restrictions.shownPath(path),
        checked: (edited) => checkedText(edited, call),
        maxFileBytes,
      };
      return makeAsked(memory, {
        ...change,
        plan: async (shown) => planIn(new MemoryTree(await backend.snapshot()), shown, call),
      });
    });
  }
}

/**
 * Whether a person is asked about what lies at or below a path, or would lie there after a move.
 * @throws MemoryError EACCES where it may not be changed at all
 */
export async function isAskedWithin(
  restrictions: Restrictions,
  snapshot: () => Promise<MemorySnapshot>,
  path: string,
  destination?: string,
): Promise<boolean> {
  const ends = destination === undefined ? [path] : [path, destination];
  if (ends.map((end) => restrictions.verdict(end, "write")).includes("ask")) return true;
  if (!restrictions.mayAsk || !restrictions.differ) return false;
  const tree = new MemoryTree(await snapshot());
  return tree
    .pathsWithin(path)
    .some((below) => ends.some((end) => restrictions.verdict(end + below.slice(path.length), "write") === "ask"));
}
