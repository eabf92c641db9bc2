import { accessDenied } from "../core/access/policies.js";
import { decisions, type MemoryAccess, type NeededAccess } from "../core/access/policy.js";
import { shownText } from "../core/display/shown-text.js";
import { errorOnPath } from "../core/values/error-paths.js";
import { getReason, invalid, MemoryError } from "../core/values/errors.js";
import { LiteralSearch } from "../core/values/literal-search.js";
import { archivePath, normalizePath } from "../core/values/paths.js";
import { countShared } from "../core/values/shared-ends.js";
import { appendText, shorten } from "../core/values/text.js";
import type { DroppedOperation, LearnOperation } from "./operation.js";
import type { Source } from "./sources.js";

/** The facts against which operations are checked. */
interface PlanScope {
  /** The present texts of all files that the operations name, and of those that may have the text of a new file. */
  texts: ReadonlyMap<string, string>;
  sources: ReadonlyMap<string, Source>;
  mayChange: (path: string) => boolean;
  /** The access of the memory to a path. */
  accessAt: (path: string) => MemoryAccess;
  /** Whether an operation is made at once. Else a person decides. */
  isAtOnce: (operation: LearnOperation) => boolean;
  maxOperations: number;
  removedShare: number;
  allowDelete: boolean;
}

/** A change of one file, made of all operations on it. */
export interface LearnChange {
  kind: "append" | "edit" | "write" | "rename" | "delete";
  /** As in `PlanScope`. */
  isAtOnce: boolean;
  path: string;
  /** rename: the new path. */
  to: string | null;
  /** Null for a new file. */
  before: string | null;
  after: string;
  /** append: the text to add. */
  added: string;
  reasons: string[];
  sources: Source[];
  operations: LearnOperation[];
}

export interface OperationPlan {
  changes: LearnChange[];
  accepted: LearnOperation[];
  dropped: DroppedOperation[];
}

/** This many characters may be removed even from small files. */
const minRemovedChars = 500;

const maxReasonChars = 500;

/** Returns the archived path of a file. */
export function getArchivedPath(path: string): string {
  return `${archivePath}${path}`;
}

/**
 * Checks the operations one after another, and joins those on the same file. Additions that are made at once come first,
 * so that they do not wait with other changes of their file. It makes no change.
 */
export function planOperations(operations: readonly LearnOperation[], scope: PlanScope): OperationPlan {
  const added = planTogether(operations.filter(scope.isAtOnce), scope);
  const texts = new Map([...scope.texts, ...added.changes.map(({ path, after }) => [path, after] as const)]);
  const maxOperations = scope.maxOperations - added.accepted.length;
  const others = planTogether(
    operations.filter((operation) => !scope.isAtOnce(operation)),
    { ...scope, texts, maxOperations },
  );
  return {
    changes: [...added.changes.map((change) => ({ ...change, isAtOnce: true })), ...others.changes],
    accepted: [...added.accepted, ...others.accepted],
    dropped: [...added.dropped, ...others.dropped],
  };
}

function planTogether(operations: readonly LearnOperation[], scope: PlanScope): OperationPlan {
  const plan = new Plan(scope);
  const [accepted, dropped]: [LearnOperation[], DroppedOperation[]] = [[], []];
  for (const operation of operations) {
    try {
      if (accepted.length === scope.maxOperations) throw invalid("there are too many operations");
      plan.add(operation);
      accepted.push(operation);
    } catch (error) {
      if (!MemoryError.isInstance(error)) throw error;
      dropped.push({ operation, why: getReason(error) });
    }
  }
  return { changes: [...plan.changes.values()], accepted, dropped };
}

class Plan {
  readonly changes = new Map<string, LearnChange>();
  readonly #scope: PlanScope;
  #removedChars = 0;

  constructor(scope: PlanScope) {
    this.#scope = scope;
  }

  /** @throws MemoryError if the operation is refused */
  add(operation: LearnOperation): void {
    const path = normalizePath(operation.path);
    const sources = this.#findSources(operation);
    const reason = shorten(operation.reason.trim(), maxReasonChars);
    if (reason === "") throw invalid("it has no reason");
    const shown = [path, operation.to, operation.text, reason].map((each) => each ?? "");
    if (shown.some((each) => shownText(each) !== each)) throw invalid("it has hidden characters or special tokens");
    const isMove = ["rename", "archive", "delete"].includes(operation.operation);
    this.#checkPath(path);
    this.#checkAccess(path, isMove || operation.operation === "edit" ? "write" : "append");
    const earlier = this.changes.get(path);
    if (
      this.#isTarget(path) ||
      (earlier !== undefined && (isMove || earlier.kind === "rename" || earlier.kind === "delete"))
    )
      throw invalid("another operation changes, moves or deletes the same file");
    const change = isMove ? this.#planMove(operation, path) : this.#planText(operation, path, earlier);
    const reasons = [...(earlier?.reasons ?? []), reason];
    this.changes.set(path, {
      path,
      to: null,
      added: "",
      ...change,
      isAtOnce: false,
      reasons,
      sources: [...new Set([...(earlier?.sources ?? []), ...sources])],
      operations: [...(earlier?.operations ?? []), operation],
    });
  }

  #findSources({ sources }: LearnOperation): Source[] {
    const found = sources.flatMap((label) => this.#scope.sources.get(label.trim()) ?? []);
    if (found.length === 0 || found.length < sources.length)
      throw invalid("it must name sources, and only existing ones");
    return found;
  }

  /** @throws MemoryError EACCES */
  #checkPath(path: string): void {
    if (!this.#scope.mayChange(path)) throw errorOnPath("EACCES", path, "may not be changed by this run");
  }

  /** @throws MemoryError EACCES */
  #checkAccess(path: string, needed: NeededAccess): void {
    const access = this.#scope.accessAt(path);
    if (decisions[access][needed] === "deny") throw accessDenied(path, access);
  }

  /** Whether another operation moves a file to a path. */
  #isTarget(path: string): boolean {
    return [...this.changes.values()].some(({ to }) => to === path);
  }

  #planMove({ operation, to }: LearnOperation, path: string): PlannedText {
    const before = this.#scope.texts.get(path);
    if (before === undefined) throw invalid("there is no such file");
    if (operation === "delete") {
      if (!this.#scope.allowDelete) throw invalid("deleting is not allowed; archive the file");
      this.#countRemoved(before.length, path);
      return { kind: "delete", before, after: "" };
    }
    const target = operation === "archive" ? getArchivedPath(path) : normalizePath(to);
    if (operation === "rename") this.#checkPath(target);
    this.#checkAccess(target, "write");
    if (this.changes.has(target) || this.#isTarget(target) || this.#scope.texts.has(target))
      throw invalid("there is a file at the new path");
    return { kind: "rename", to: target, before, after: "" };
  }

  #planText({ operation, text, oldText }: LearnOperation, path: string, earlier?: LearnChange): PlannedText {
    const added = text ?? "";
    const current = earlier?.after ?? this.#scope.texts.get(path);
    const before = this.#scope.texts.get(path) ?? null;
    if (operation === "write") {
      if (current !== undefined) throw invalid("the file exists; append to it or edit it");
      if (added.trim() === "") throw invalid("the text is empty");
      if (this.#hasFileWith(added)) throw invalid("another file has this text");
      return { kind: "write", before, after: added };
    }
    if (operation === "append") {
      if (isKnown(added, current ?? "")) throw invalid("the file has this text already");
      const joined = appendText(earlier?.kind === "append" ? earlier.added : "", added);
      const kind = before === null ? "write" : earlier === undefined || earlier.kind === "append" ? "append" : "edit";
      return { kind, before, after: appendText(current ?? "", added), added: joined };
    }
    if (current === undefined) throw invalid("there is no such file");
    const old = oldText ?? "";
    const after = replaceOnce(current, old, added);
    this.#countRemoved(countRemoved(old, added), path);
    return { kind: before === null ? "write" : "edit", before, after };
  }

  /** Whether a present file, or a file of another operation, has a text. */
  #hasFileWith(text: string): boolean {
    const texts = [...this.#scope.texts.values(), ...Array.from(this.changes.values(), ({ after }) => after)];
    return texts.some((each) => each.trim() === text.trim());
  }

  #countRemoved(chars: number, path: string): void {
    const touched = new Set([path, ...this.changes.keys()]);
    const total = [...touched].reduce((sum, each) => sum + (this.#scope.texts.get(each)?.length ?? 0), 0);
    const most = Math.max(minRemovedChars, total * this.#scope.removedShare);
    if (this.#removedChars + chars > most) throw invalid("too much text would be removed");
    this.#removedChars += chars;
  }
}

type PlannedText = Pick<LearnChange, "kind" | "before" | "after"> & Partial<Pick<LearnChange, "to" | "added">>;

/** Whether a text contains all lines of an addition. */
function isKnown(addition: string, text: string): boolean {
  const lines = new Set(text.split("\n").map((line) => line.trim()));
  return addition.split("\n").every((line) => line.trim() === "" || lines.has(line.trim()));
}

function replaceOnce(text: string, old: string, replacement: string): string {
  if (old === "") throw invalid("oldText is empty");
  if (old === replacement) throw invalid("it changes nothing");
  const parts = new LiteralSearch(old).split(text);
  if (parts.length !== 2)
    throw invalid(`oldText is in the file ${parts.length - 1} times; it must be there exactly once`);
  return parts.join(replacement);
}

/** Counts the characters of a text between the start and the end that its replacement keeps. */
function countRemoved(old: string, replacement: string): number {
  if (replacement.includes(old)) return 0;
  const { start, end } = countShared(old, replacement);
  return old.length - start - end;
}
