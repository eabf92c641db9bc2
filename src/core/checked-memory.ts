import {
  bookkeeping,
  type CheckedPolicy,
  type GuardedChange,
  restrict,
  type RestrictableMemory,
  Restrictions,
} from "./access/access.js";
import type { MemoryActor } from "./values/actor.js";
import { checkAddress, type CheckedAddress, type MemoryAddress } from "./values/address.js";
import type { MemoryProposals } from "./approval/memory-proposals.js";
import { RecordedProposals } from "./approval/proposals.js";
import { AskedChanges, type CheckedText, type IntendedText, isAskedWithin } from "./access/asked-changes.js";
import type { BackendLimits, MemoryBackend } from "./backend.js";
import { CheckedHistory } from "./history/checked-history.js";
import { alreadyExists, fileNotFound, invalid, MemoryError, pathIsDirectory, withPath } from "./values/errors.js";
import { type AskGuards, guardedEdit, guardedStore } from "./access/guarded-changes.js";
import type { MemoryHistory } from "./history/history.js";
import type { HistoryBackend } from "./history/history-backend.js";
import {
  checkContent,
  checkDeleteOptions,
  checkOutlineOptions,
  checkSoughtTexts,
  checkText,
  checkWriteOptions,
} from "./settings/memory-arguments.js";
import { MemoryCalls } from "./runtime/memory-calls.js";
import type {
  DeletedCounts,
  DeleteOptions,
  FileStat,
  FoundText,
  Memory,
  MemoryChanges,
  MemoryEntry,
  MemoryOutline,
  MemoryRights,
  MemorySnapshot,
  MemoryStat,
  OutlineOptions,
  WatchOptions,
  WriteOptions,
} from "./memory.js";
import type { Stage as Act, CallContext } from "./runtime/call.js";
import { checkMemoryOptions, checkMemoryUse, type MemoryOptions, type MemoryUse } from "./settings/options.js";
import { creationFault, normalizePath, type PathRule, prefixOf, ROOT } from "./values/paths.js";
import { placeAttributes, recordAttributes, type ServerAddress } from "./tracing/memory-attributes.js";
import { type TracedMemory, traceMethods } from "./tracing/memory-spans.js";
import { isTraced, type SpanAttributes, traced } from "./tracing/tracing.js";
import { grepTexts } from "./search/grep.js";
import {
  checkGrep,
  checkSearch,
  type GrepMatch,
  type GrepOptions,
  type GrepPattern,
  type SearchHit,
  type SearchOptions,
} from "./search/search-options.js";
import { searchMemory } from "./search/search-texts.js";
import { snapshotSince } from "./tree/snapshot-since.js";
import { compareCodeUnits, startOf } from "./values/text.js";
import { watchMemory } from "./watch/memory-watch.js";
import { listenHere } from "./watch/own-changes.js";

/**
 * Opens the backend of one memory. It is called once, at once, and may leave the storage alone until the first command.
 */
export type OpenBackend = (address: CheckedAddress, limits: BackendLimits) => MemoryBackend;

/**
 * The memory of an address over a backend of any kind. The memory checks and normalises every argument before the
 * backend sees it, and sorts the backend's answers. It passes on the backend's errors. It keeps the time limit of each
 * call.
 *
 * @param openBackend gets the checked address and limits. Its backend keeps the limits.
 * @param options default: names by the rule `adr`, files of at most 1,000,000 bytes, memories of at most 15,000,000,
 *   calls of at most 30 s.
 * @param origin where the storage is, for traces. Default: in this process
 * @throws MemoryError EINVAL for a bad address, TypeError for bad options
 */
export function openMemoryOver(
  openBackend: OpenBackend,
  address: MemoryAddress,
  options?: MemoryOptions,
  origin: MemoryOrigin = {},
): Memory {
  const checkedAddress = checkAddress(address);
  const checkedOptions = checkMemoryOptions(options);
  return new CheckedMemory(openBackend(checkedAddress, checkedOptions), checkedAddress, checkedOptions, { origin });
}

/** Where the storage of a memory is, as traces tell it. */
export interface MemoryOrigin {
  server?: ServerAddress | undefined;
  /** Of what is no memory, and only stands for one. @internal */
  isUntraced?: boolean;
}

/** What `with` and policies have added to a memory. */
interface MemorySettings {
  signals?: readonly AbortSignal[];
  restrictions?: Restrictions | null;
  actor?: MemoryActor | null;
  origin: MemoryOrigin;
}

/** The public door: checks and normalises what comes in, sorts what goes out; the backend only stores. */
class CheckedMemory implements RestrictableMemory {
  readonly address: CheckedAddress;
  readonly paths: PathRule;
  readonly rights: MemoryRights | undefined;
  readonly history: MemoryHistory | null;
  readonly #backend: MemoryBackend;
  readonly #calls: MemoryCalls;
  readonly #options: Required<MemoryOptions>;
  readonly #signals: readonly AbortSignal[];
  readonly #restrictions: Restrictions | null;
  readonly #actor: MemoryActor | null;
  readonly #origin: MemoryOrigin;

  static {
    traceMethods(CheckedMemory.prototype, (memory) => memory.#traced);
  }

  constructor(
    backend: MemoryBackend,
    address: CheckedAddress,
    options: Required<MemoryOptions>,
    { signals = [], restrictions = null, actor = null, origin }: MemorySettings,
  ) {
    this.#backend = backend;
    this.#calls = new MemoryCalls(backend, address, { signals, timeoutMs: options.timeoutMs, paths: options.paths });
    this.#actor = actor;
    this.#origin = origin;
    this.address = address;
    this.paths = options.paths;
    this.#options = options;
    this.#signals = signals;
    this.#restrictions = restrictions;
    this.rights = restrictions?.rights;
    this.history =
      (backend.history?.() ?? null) === null
        ? null
        : new CheckedHistory(
            (...call) => this.#runHistory(...call),
            (path) => restrictions?.assert(path, "write"),
          );
  }

  async #runHistory<T>(act: Act, path: string | null, command: (history: HistoryBackend) => Promise<T>): Promise<T> {
    const told = isTraced() ? this.#traced : null;
    const run = (): Promise<T> => this.#onHistory(act, path, command);
    if (told === null) return run();
    const attributes = (): SpanAttributes => ({
      ...placeAttributes(told.address, told.actor, told.server),
      ...(path !== null && recordAttributes(path)),
    });
    return traced(
      {
        operation: act === "read" ? "search_memory" : "update_memory",
        isRemote: told.server !== undefined,
        attributes,
      },
      run,
    );
  }

  async #onHistory<T>(act: Act, path: string | null, command: (history: HistoryBackend) => Promise<T>): Promise<T> {
    try {
      return await this.#calls.run(act, async (backend) => {
        const history = backend.history?.() ?? null;
        if (history === null) throw invalid("this memory keeps no history");
        return command(history);
      });
    } catch (error) {
      throw path !== null && MemoryError.isInstance(error) ? withPath(error, path) : error;
    }
  }

  async read(path: string): Promise<string> {
    const target = normalizePath(path);
    return this.#calls.onPath(target, "read", (backend) => backend.read(target));
  }

  async readFiles(paths: readonly string[]): Promise<(string | null)[]> {
    const targets = paths.map((path) => normalizePath(path));
    return targets.length === 0 ? [] : this.#calls.run("read", (backend) => backend.readFiles(targets));
  }

  async findFiles(texts: readonly string[], { suffix = "" }: { suffix?: string } = {}): Promise<FoundText[]> {
    checkSoughtTexts(texts);
    checkText(suffix, "suffix");
    if (texts.length === 0) return [];
    const candidates = await this.#calls.run("read", async (backend) =>
      backend.findFiles ? backend.findFiles(texts, suffix) : (await backend.snapshot()).files,
    );
    return candidates
      .filter(({ path, content }) => path.endsWith(suffix) && texts.some((text) => content.includes(text)))
      .map(({ path, content }) => ({ path, content }))
      .toSorted((a, b) => compareCodeUnits(a.path, b.path));
  }

  async list(path: string = ROOT): Promise<MemoryEntry[]> {
    const target = normalizePath(path, { emptyIsRoot: true });
    const entries = await this.#calls.onPath(target, "read", (backend) => backend.list(target));
    return entries.toSorted((a, b) => compareCodeUnits(a.name, b.name));
  }

  get proposals(): MemoryProposals | null {
    if (this.#backend.records === undefined) return null;
    const checked = (change: IntendedText): Promise<string> => this.#checkedByGuard(change, undefined);
    return new RecordedProposals((act, command) => this.#calls.run(act, command), {
      checked,
      maxFileBytes: this.#options.maxFileBytes,
    });
  }

  async append(path: string, content: string): Promise<void> {
    await this.#appending(
      path,
      content,
      (backend, target, text, create) => backend.append(target, text, create),
      (ask) => ask(),
    );
  }

  async snapshotAndAppend(path: string, content: string): Promise<MemorySnapshot> {
    const askFirst = async (ask: () => Promise<void>): Promise<MemorySnapshot> => {
      const before = await this.snapshot();
      await ask();
      return before;
    };
    return sorted(
      await this.#appending(
        path,
        content,
        (backend, target, text, create) => backend.snapshotAndAppend(target, text, create),
        askFirst,
      ),
    );
  }

  async update(path: string, oldContent: string, content: string): Promise<number> {
    const target = normalizePath(path);
    checkText(oldContent, "oldContent");
    if (oldContent === "") throw invalid("oldContent must not be empty");
    this.#checkContent(content, "content");
    const restrictions = this.#restrictions;
    if (restrictions?.verdict(target, "write") === "ask") {
      const counts = await this.#asked(restrictions).text(
        target,
        { command: "update", oldContent, create: false },
        content,
      );
      return counts?.replaced ?? 0;
    }
    return this.#storing("update", target, content, (backend, text) => backend.replace(target, oldContent, text));
  }

  async delete(path: string, options?: DeleteOptions): Promise<DeletedCounts> {
    const target = normalizePath(path);
    const { ifDirectory } = checkDeleteOptions(options);
    if (ifDirectory === "fail" && target === ROOT) throw withPath(pathIsDirectory(), target);
    const restrictions = this.#restrictions;
    if (restrictions !== null && (await isAskedWithin(restrictions, () => this.snapshot(), target))) {
      const counts = await this.#asked(restrictions).delete(target, ifDirectory);
      return { files: 0, dirs: 0, ...counts };
    }
    restrictions?.assert(target, "write");
    const checkBelow =
      restrictions?.differ === true ? (below: string): void => restrictions.assert(below, "write") : undefined;
    const counts = await this.#calls.onPath(target, "change", (backend) =>
      backend.delete(target, ifDirectory, checkBelow),
    );
    if (counts.files === 0 && counts.dirs === 0) this.#assertCreatable(target);
    return counts;
  }

  async write(path: string, content: string, options?: WriteOptions): Promise<FileStat> {
    const target = normalizePath(path);
    const { ifExists, ifMissing } = checkWriteOptions(options);
    this.#checkContent(content, "content");
    // What is there stays where only a new file is made.
    const restrictions = this.#restrictions;
    const verdict = restrictions?.verdict(target, ifExists === "fail" ? "append" : "write");
    const creatable = creationFault(target, this.#options.paths) === null;
    const mode = { ifExists, ifMissing: creatable ? ifMissing : "fail" } as const;
    if (restrictions !== null && verdict === "ask") {
      const isNew = mode.ifExists === "fail";
      await this.#asked(restrictions).text(
        target,
        { command: "write", create: mode.ifMissing === "create", isNew },
        content,
      );
      return this.#statOfFile(target);
    }
    return this.#storing("write", target, content, (backend, text) => backend.write(target, text, mode));
  }

  async edit(path: string, change: (text: string) => string): Promise<FileStat> {
    const target = normalizePath(path);
    if (typeof change !== "function") throw new TypeError("edit: change must be a function from text to text");
    const checkedChange = (text: string): string => {
      const changed = change(text);
      this.#checkContent(changed, "the edited text");
      return changed;
    };
    const restrictions = this.#restrictions;
    if (restrictions?.verdict(target, "write") === "ask") {
      await this.#asked(restrictions).text(target, { command: "edit", create: false }, checkedChange);
      return this.#statOfFile(target);
    }
    if (restrictions?.hasGuard === true) {
      const { act, command } = guardedEdit(this.#askGuards(restrictions), target, checkedChange);
      return this.#calls.onPath(target, act, command);
    }
    return this.#calls.onPath(target, "change", (backend) => backend.edit(target, checkedChange));
  }

  async rename(from: string, to: string): Promise<void> {
    const source = normalizePath(from);
    const destination = normalizePath(to);
    if (source === ROOT || destination === ROOT) throw invalid("the root cannot be renamed");
    this.#assertCreatable(destination);
    if (destination === source) {
      throw (await this.stat(source)) === null
        ? withPath(fileNotFound(), source)
        : withPath(alreadyExists(), destination);
    }
    if (destination.startsWith(prefixOf(source))) throw invalid("a directory cannot be moved into itself");
    const restrictions = this.#restrictions;
    if (restrictions !== null && (await isAskedWithin(restrictions, () => this.snapshot(), source, destination))) {
      await this.#asked(restrictions).rename(source, destination);
      return;
    }
    restrictions?.assert(source, "write");
    restrictions?.assert(destination, "write");
    const checkMoved = (moved: string): void => {
      normalizePath(moved);
      restrictions?.assert(source + moved.slice(destination.length), "write");
      restrictions?.assert(moved, "write");
    };
    await this.#calls.onPath(source, "change", async (backend) => {
      try {
        await backend.rename(source, destination, checkMoved);
      } catch (error) {
        const isOfDestination = MemoryError.isInstance(error) && (error.code === "EEXIST" || error.code === "ENOTDIR");
        throw isOfDestination ? withPath(error, destination) : error;
      }
    });
  }

  async stat(path: string): Promise<MemoryStat | null> {
    const target = normalizePath(path, { emptyIsRoot: true });
    const stat = await this.#calls.onPath(target, "read", (backend) => backend.stat(target));
    if (stat === null) this.#assertCreatable(target);
    return stat;
  }

  async snapshot(): Promise<MemorySnapshot> {
    return sorted(await this.#calls.run("read", (backend) => backend.snapshot()));
  }

  async outline(options: OutlineOptions = {}): Promise<MemoryOutline> {
    const wanted = checkOutlineOptions(options);
    const { leadChars } = wanted;
    const outline = sorted(await this.#calls.run("read", (backend) => backend.outline(wanted)));
    if (leadChars === 0) return outline;
    return {
      ...outline,
      files: outline.files.map((file) =>
        file.lead === undefined ? file : { ...file, lead: startOf(file.lead, leadChars) },
      ),
    };
  }

  async search(query: string, options?: SearchOptions): Promise<SearchHit[]> {
    const wanted = checkSearch(query, options);
    const { searchWords: wordsOf } = this.#options;
    const owner = { address: this.address, opened: this.#backend, wordsOf };
    return this.#calls.run("read", (backend, call) => searchMemory(backend, owner, wanted, call));
  }

  async grep(pattern: GrepPattern, options?: GrepOptions): Promise<GrepMatch[]> {
    const wanted = checkGrep(pattern, options);
    return this.#calls.run("read", async (backend, call) => grepTexts((await backend.snapshot()).files, wanted, call));
  }

  watch(options?: WatchOptions): MemoryChanges {
    const watched = {
      version: () => this.#calls.run("read", async (backend) => (await backend.version?.()) ?? null),
      // Not by its own method, as nobody wants a span of each look.
      snapshot: (known: ReadonlyMap<string, string>) =>
        this.#calls.run("read", (backend) => snapshotSince(backend, known)),
      // What limits a call does not limit what it has opened.
      listen: () => this.#calls.run("read", async () => (await this.#backend.listen?.()) ?? null),
      listenHere: (listener: () => void) => listenHere(this.#backend, this.address, listener),
      signals: this.#signals,
    };
    return watchMemory(watched, options);
  }

  with(use: MemoryUse): Memory {
    checkMemoryUse(use);
    const { signal, timeoutMs = this.#options.timeoutMs, paths = this.#options.paths } = use;
    const actor = use.actor === undefined ? this.#actor : { ...this.#actor, ...use.actor };
    const signals = signal === undefined || this.#signals.includes(signal) ? this.#signals : [...this.#signals, signal];
    const backend =
      use.actor === undefined || actor === null ? this.#backend : (this.#backend.forActor?.(actor) ?? this.#backend);
    return new CheckedMemory(
      backend,
      this.address,
      { ...this.#options, timeoutMs, paths },
      { signals, restrictions: this.#restrictions, actor, origin: this.#origin },
    );
  }

  [restrict](policy: CheckedPolicy): Memory {
    const restrictions = this.#restrictions?.with(policy) ?? new Restrictions([policy]);
    return new CheckedMemory(this.#backend, this.address, this.#options, {
      signals: this.#signals,
      restrictions,
      actor: this.#actor,
      origin: this.#origin,
    });
  }

  [bookkeeping](): Memory {
    const restrictions = this.#restrictions;
    if (restrictions?.mayAsk !== true) return this;
    return new CheckedMemory(this.#backend, this.address, this.#options, {
      signals: this.#signals,
      restrictions: restrictions.withoutAsking(),
      actor: this.#actor,
      origin: this.#origin,
    });
  }

  withPaths(paths: PathRule): Memory {
    return this.with({ paths });
  }

  async #appending<T>(
    path: string,
    content: string,
    command: (backend: MemoryBackend, target: string, text: string, create: boolean) => Promise<T>,
    askFirst: (ask: () => Promise<void>) => Promise<T>,
  ): Promise<T> {
    const target = normalizePath(path);
    this.#checkContent(content, "content");
    const create = creationFault(target, this.#options.paths) === null;
    const restrictions = this.#restrictions;
    if (restrictions?.verdict(target, "append") === "ask") {
      return askFirst(
        async () => void (await this.#asked(restrictions).text(target, { command: "append", create }, content)),
      );
    }
    return this.#storing("append", target, content, (backend, text) => command(backend, target, text, create));
  }

  #asked(restrictions: Restrictions): AskedChanges {
    const checkedText: CheckedText = (change, call) => this.#checkedByGuard(change, call);
    return new AskedChanges({
      address: this.address,
      calls: this.#calls,
      restrictions,
      checkedText,
      maxFileBytes: this.#options.maxFileBytes,
    });
  }

  async #statOfFile(path: string): Promise<FileStat> {
    const stat = await this.stat(path);
    if (stat?.kind !== "file") throw withPath(fileNotFound(), path);
    return stat;
  }

  /** The text that the guards let be stored in place of one that a tool or a person has written. */
  async #checkedByGuard({ command, path, content }: IntendedText, call: CallContext | undefined): Promise<string> {
    this.#checkContent(content, "content");
    const restrictions = this.#restrictions;
    if (restrictions?.hasGuard !== true || command === "delete" || command === "rename") return content;
    return this.#askGuards(restrictions)({ command, path, content }, call);
  }

  /** Runs a command with the text that the guards let be stored. */
  #storing<T>(
    command: GuardedChange["command"],
    path: string,
    content: string,
    store: (backend: MemoryBackend, text: string) => Promise<T>,
  ): Promise<T> {
    const restrictions = this.#restrictions;
    if (restrictions?.hasGuard !== true)
      return this.#calls.onPath(path, "change", (backend) => store(backend, content));
    const { act, command: guarded } = guardedStore(this.#askGuards(restrictions), { command, path, content }, store);
    return this.#calls.onPath(path, act, guarded);
  }

  #askGuards(restrictions: Restrictions): AskGuards {
    return async (change, call) => {
      const text = await restrictions.guarded({ ...change, address: this.address });
      this.#checkContent(text, "the text of the guard");
      call?.throwIfAborted();
      return text;
    };
  }

  get #traced(): TracedMemory | null {
    const { server, isUntraced } = this.#origin;
    return isUntraced === true ? null : { address: this.address, actor: this.#actor, server };
  }

  #assertCreatable(path: string): void {
    const fault = creationFault(path, this.#options.paths);
    if (fault) throw withPath(fault, path);
  }

  #checkContent(content: unknown, name: string): asserts content is string {
    checkContent(content, name, this.#options.maxFileBytes);
  }
}

function sorted<T extends MemorySnapshot | MemoryOutline>(tree: T): T {
  return {
    ...tree,
    files: (tree.files as { path: string }[]).toSorted((a, b) => compareCodeUnits(a.path, b.path)),
    directories: tree.directories.toSorted(compareCodeUnits),
  };
}
