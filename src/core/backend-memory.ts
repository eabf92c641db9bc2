import { wrongArgument } from "./settings/wrong-argument.js";
import { Policies } from "./access/policies.js";
import { guardText } from "./access/guard-change.js";
import {
  bind,
  type BindableMemory,
  type BulkCalls,
  internals,
  isRunBinding,
  type MemoryBinding,
  type MemoryInternals,
} from "./bind-memory.js";
import type { MemoryProposals } from "./approval/memory-proposals.js";
import { BackendHistory } from "./backend-history.js";
import { BackendProposals } from "./backend-proposals.js";
import type { MemoryHistory } from "./history/history.js";
import type {
  DeletedCounts,
  DeleteOptions,
  EditOptions,
  FileStat,
  MadeOnce,
  Memory,
  MemoryEntry,
  MemoryOutline,
  MemoryRights,
  MemorySnapshot,
  MemoryStat,
  OutlineOptions,
  WriteOptions,
} from "./memory.js";
import { type ChangedText, type MemoryContext, runCall, runChange, runOnPath } from "./pipeline.js";
import type { Call } from "./runtime/call.js";
import { grepTexts } from "./search/grep.js";
import {
  checkGrep,
  checkSearch,
  type GrepMatch,
  type GrepOptions,
  type SearchHit,
  type SearchOptions,
} from "./search/search-options.js";
import type { IndexOwner } from "./search/index-cache.js";
import { recallMemory, type RecallOptions } from "./search/recall.js";
import { searchMemory } from "./search/search-texts.js";
import { checkOptions } from "./settings/check-options.js";
import {
  checkMemoryUse,
  deleteOptionsSchema,
  editOptionsSchema,
  type MemoryUse,
  outlineOptionsSchema,
  writeOptionsSchema,
} from "./memory-options.js";
import type { Change } from "./tree/change.js";
import { sortTree } from "./tree/sort-tree.js";
import { mergeActors } from "./values/actor.js";
import type { CheckedAddress } from "./values/address.js";
import { withPath } from "./values/error-paths.js";
import { alreadyExists, fileNotFound, invalid, pathIsDirectory } from "./values/errors.js";
import { getCreationError, normalizePath, type PathRule, getPathPrefix, ROOT } from "./values/paths.js";
import { checkContent, checkText, compareCodeUnits, takeStart } from "./values/text.js";

/**
 * A memory over a backend. Each method checks its arguments and sorts the answer; the pipeline runs the call. The
 * backend only stores.
 */
export class BackendMemory implements BindableMemory {
  readonly address: CheckedAddress;
  readonly paths: PathRule;
  readonly rights: MemoryRights | undefined;
  readonly #context: MemoryContext;

  constructor(context: MemoryContext) {
    const { address, options, policies } = context;
    this.#context = context;
    this.address = address;
    this.paths = options.paths;
    this.rights = policies?.rights;
  }

  read(path: string): Promise<string> {
    return runOnPath(this.#context, path, (target) => (call) => this.#backend.read(target, call));
  }

  async list(path: string = ROOT): Promise<MemoryEntry[]> {
    const run = (target: string) => (call: Call) => this.#backend.list(target, call);
    const entries = await runOnPath(this.#context, path, run, { emptyIsRoot: true });
    return entries.toSorted((a, b) => compareCodeUnits(a.name, b.name));
  }

  stat(path: string): Promise<MemoryStat | null> {
    const run = (target: string) => async (call: Call) => {
      const stat = await this.#backend.stat(target, call);
      if (stat === null) this.#assertCreatable(target);
      return stat;
    };
    return runOnPath(this.#context, path, run, { emptyIsRoot: true });
  }

  snapshot(): Promise<MemorySnapshot> {
    return runCall(this.#context, async (call) => sortTree(await this.#backend.snapshot(call), call));
  }

  /** @internal */
  version(): Promise<string | null> {
    return runCall(this.#context, async (call) => (await this.#backend.features?.version?.(call)) ?? null);
  }

  outline(options: OutlineOptions & Partial<RecallOptions> = {}): Promise<MemoryOutline> {
    const recall = options?.recall;
    if (recall !== undefined)
      return runCall(this.#context, (call) => recallMemory(this.#backend, this.#indexOwner, recall, call));
    return runCall(this.#context, async (call) => {
      const checked = checkOptions("OutlineOptions", outlineOptionsSchema, options);
      const outline = await sortTree(await this.#backend.outline(checked, call), call);
      if (checked.leadChars === 0) return outline;
      const files = outline.files.map((file) =>
        file.lead === undefined ? file : { ...file, lead: takeStart(file.lead, checked.leadChars) },
      );
      return { ...outline, files };
    });
  }

  search(query: string, options?: SearchOptions): Promise<SearchHit[]> {
    return runCall(this.#context, async (call) => {
      return searchMemory(this.#backend, this.#indexOwner, checkSearch(query, options), call);
    });
  }

  grep(pattern: string, options?: GrepOptions): Promise<GrepMatch[]> {
    return runCall(this.#context, async (call) => {
      const checked = checkGrep(pattern, options);
      return grepTexts((await this.#backend.snapshot(call)).files, checked, call);
    });
  }

  append(path: string, content: string, options: EditOptions = {}): Promise<void> {
    const make = (target: string): Change => {
      this.#checkContent(content, "content");
      const { lineEnds } = checkOptions("EditOptions", editOptionsSchema, options);
      return { type: "append", path: target, content, create: this.#canCreate(target), lineEnds };
    };
    return this.#change(path, make, () => undefined);
  }

  update(path: string, oldContent: string, content: string, options: EditOptions = {}): Promise<number> {
    const make = (target: string): Change => {
      checkText(oldContent, "oldContent");
      if (oldContent === "") throw invalid("oldContent must not be empty");
      this.#checkContent(content, "content");
      const { lineEnds } = checkOptions("EditOptions", editOptionsSchema, options);
      return { type: "update", path: target, oldContent, content, lineEnds };
    };
    return this.#change(path, make, ({ replaced }) => replaced);
  }

  write(path: string, content: string, options: WriteOptions = {}): Promise<FileStat & MadeOnce> {
    const make = (target: string): Change => {
      const { ifExists, ifMissing } = checkOptions("WriteOptions", writeOptionsSchema, options);
      this.#checkContent(content, "content");
      const mode = { ifExists, ifMissing: this.#canCreate(target) ? ifMissing : ("fail" as const) };
      return { type: "write", path: target, content, ...mode };
    };
    return this.#change(path, make, (result, target, call) => this.#describeFile(result, target, call));
  }

  edit(path: string, change: (text: string) => string): Promise<FileStat & MadeOnce & { content?: string }> {
    const make = (target: string): Change => {
      if (typeof change !== "function") throw wrongArgument("edit: change", "a function from text to text", change);
      const edit = (text: string): string => {
        const edited = change(text);
        this.#checkContent(edited, "the edited text");
        return edited;
      };
      return { type: "edit", path: target, edit };
    };
    return this.#change(path, make, (result, target, call) => this.#describeFile(result, target, call));
  }

  delete(path: string, options: DeleteOptions = {}): Promise<DeletedCounts & MadeOnce> {
    const make = (target: string): Change => {
      const { ifDirectory } = checkOptions("DeleteOptions", deleteOptionsSchema, options);
      if (ifDirectory === "fail" && target === ROOT) throw withPath(pathIsDirectory(), target);
      return { type: "delete", path: target, ifDirectory };
    };
    return this.#change(path, make, ({ deleted, madeAt }, target) => {
      if (deleted.files + deleted.dirs === 0) this.#assertCreatable(target);
      return { ...deleted, ...(madeAt && { madeAt }) };
    });
  }

  async rename(from: string, to: string): Promise<void> {
    await runOnPath(this.#context, from, (source) => {
      const target = normalizePath(to);
      if (source === ROOT || target === ROOT) throw invalid("the root cannot be renamed");
      this.#assertCreatable(target);
      if (target !== source && target.startsWith(getPathPrefix(source)))
        throw invalid("a directory cannot be moved into itself");
      return async (call) => {
        if (target !== source) await runChange(this.#context, { type: "rename", path: source, to: target }, call);
        else if ((await this.#backend.stat(source, call)) === null) throw fileNotFound();
        else throw alreadyExists();
      };
    });
  }

  get history(): MemoryHistory | null {
    return this.#backend.features?.history === undefined ? null : new BackendHistory(this.#context);
  }

  get proposals(): MemoryProposals | null {
    return this.#backend.features?.approvals === undefined ? null : new BackendProposals(this.#context);
  }

  with(use: MemoryUse): Memory {
    if (isRunBinding(use)) return use === this.#context.run ? this : this[bind]({ run: use });
    checkMemoryUse(use);
    return this[bind](use);
  }

  [bind](binding: MemoryBinding & MemoryUse): Memory {
    const context = this.#context;
    const { run = context.run, policies: added = [], without, signal, actor = null } = binding;
    const { timeoutMs = context.options.timeoutMs, paths = context.options.paths } = binding;
    const kept = without === undefined ? context.policies : (context.policies?.without(without) ?? null);
    return new BackendMemory({
      ...context,
      run,
      options: { ...context.options, timeoutMs, paths },
      signals: [...new Set([...context.signals, signal, run?.signal])].filter((each) => each !== undefined),
      actor: mergeActors(mergeActors(context.actor, actor), run?.actor ?? null),
      policies: added.length === 0 ? kept : Policies.join(kept, added),
    });
  }

  [internals](path: string): MemoryInternals {
    const context = this.#context;
    return {
      memory: this,
      path,
      run: context.run,
      storage: context.backend.features?.storage ?? context.backend,
      rules: context.policies?.rules ?? [],
      guard: (file, content, command = "append") =>
        runCall(context, (call) => guardText(context, { command, path: file, content }, call)),
      bulk: this.#bulk,
    };
  }

  get #bulk(): BulkCalls {
    const context = this.#context;
    const { backend, policies, options: settings } = context;
    const { addFiles, load } = backend.features ?? {};
    return {
      settings,
      addFiles:
        addFiles === undefined || policies !== null
          ? null
          : (files) =>
              runCall(context, async (call) => {
                for (const { content } of files) checkText(content, "content");
                const checked = files.map((file) => ({ ...file, path: normalizePath(file.path) }));
                call.origin = context.run?.origin ?? null;
                call.stage = "change";
                return addFiles(checked, settings, call);
              }),
      readFiles:
        load === undefined
          ? null
          : async (paths) => {
              const { files } = await runCall(context, (call) => load({ paths, below: [] }, call));
              const wanted = new Set(paths);
              return files.filter(({ path }) => wanted.has(path));
            },
    };
  }

  get #backend(): MemoryContext["backend"] {
    return this.#context.backend;
  }

  get #indexOwner(): IndexOwner {
    return { address: this.address, opened: this.#backend, searchWords: this.#context.options.searchWords };
  }

  /**
   * Makes a change within the limits and the policies of the memory.
   * @param make checks the other arguments, and returns the change of the normalised path
   * @param finish returns the answer of the verb
   */
  #change<Answer>(
    path: string,
    make: (target: string) => Change,
    finish: (result: ChangedText, target: string, call: Call) => Answer | Promise<Answer>,
  ): Promise<Answer> {
    return runOnPath(this.#context, path, (target) => {
      const change = make(target);
      return async (call) => finish(await runChange(this.#context, change, call), target, call);
    });
  }

  async #describeFile(
    { file, content, madeAt }: ChangedText,
    target: string,
    call: Call,
  ): Promise<FileStat & MadeOnce> {
    // After an approval the result does not contain the file.
    const stat = file ?? (await this.#backend.stat(target, call));
    if (stat?.kind !== "file") throw fileNotFound();
    return { ...stat, ...(content !== undefined && { content }), ...(madeAt && { madeAt }) };
  }

  #canCreate(path: string): boolean {
    return getCreationError(path, this.#context.options.paths) === null;
  }

  #assertCreatable(path: string): void {
    const fault = getCreationError(path, this.#context.options.paths);
    if (fault !== null) throw withPath(fault, path);
  }

  #checkContent(content: unknown, name: string): asserts content is string {
    checkContent(content, name, this.#context.options.maxFileBytes);
  }
}

/** Reads a text that differs after each change of the memory. Null if its storage keeps no count. */
export async function readVersion(memory: Memory | BackendMemory): Promise<string | null> {
  return "version" in memory ? memory.version() : null;
}
