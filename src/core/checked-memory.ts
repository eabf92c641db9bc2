import { bookkeeping, type CheckedPolicy, type GuardedChange, restrict, type RestrictableMemory, Restrictions } from "./access.js";
import type { MemoryActor } from "./actor.js";
import { checkAddress, type CheckedAddress, type MemoryAddress } from "./address.js";
import { type AskedChange, type AskedMemory, makeAsked } from "./approval/asked-change.js";
import type { ChangeCommand, PlannedChange } from "./approval/change-record.js";
import type { MemoryProposals } from "./approval/memory-proposals.js";
import { planDelete, planRename, planText, type TextWish } from "./approval/plan.js";
import { RecordedProposals } from "./approval/proposals.js";
import type { BackendLimits, MemoryBackend } from "./backend.js";
import { CheckedHistory } from "./checked-history.js";
import { alreadyExists, fileNotFound, fileTooLarge, invalid, MemoryError, pathIsDirectory } from "./errors.js";
import { type AskGuards, type BackendCommand, guardedEdit, guardedStore } from "./guarded-changes.js";
import type { MemoryHistory } from "./history.js";
import type { HistoryBackend } from "./history-backend.js";
import type {
  DeletedCounts,
  DeleteOptions,
  FileStat,
  FoundText,
  Memory,
  MemoryEntry,
  MemoryOutline,
  MemoryRights,
  MemorySnapshot,
  MemoryStat,
  OutlineOptions,
  WriteOptions,
} from "./memory.js";
import { type Act, type OngoingCall, withinTime } from "./ongoing-call.js";
import { checkMemoryOptions, checkMemoryUse, checkOptions, type MemoryOptions, type MemoryUse } from "./options.js";
import { creationFault, normalizePath, type PathRule, prefixOf, ROOT } from "./paths.js";
import { MemoryTree } from "./tree.js";
import { compareCodeUnits, startOf, utf8Bytes } from "./text.js";
import { z } from "zod";

const writeOptionsSchema = z
  .object({ ifExists: z.enum(["replace", "fail"]).optional(), ifMissing: z.enum(["create", "fail"]).optional() })
  .strict();

const deleteOptionsSchema = z.object({ ifDirectory: z.enum(["delete", "fail"]).optional() }).strict();

const outlineOptionsSchema = z
  .object({ maxContentBytes: z.number().min(0).optional(), leadChars: z.number().int().min(0).max(10_000).optional() })
  .strict();

/** What storages search in time that grows with the text alone. */
const maxSoughtTexts = 16;
const maxSoughtChars = 250;

/** Opens the backend of one memory. It is called once, at once, and may leave the storage alone until the first command. */
export type OpenBackend = (address: CheckedAddress, limits: BackendLimits) => MemoryBackend;

/**
 * The memory of an address over a backend of any kind. The memory checks and normalises every argument before the backend
 * sees it, and sorts the backend's answers. It passes on the backend's errors. It keeps the time limit of each call.
 *
 * @param openBackend gets the checked address and limits. Its backend keeps the limits.
 * @param options default: names by the rule `adr`, files of at most 1,000,000 bytes, memories of at most 15,000,000,
 *   calls of at most 30 s.
 * @throws MemoryError EINVAL for a bad address, TypeError for bad options
 */
export function openMemoryOver(openBackend: OpenBackend, address: MemoryAddress, options?: MemoryOptions): Memory {
  const checkedAddress = checkAddress(address);
  const checkedOptions = checkMemoryOptions(options);
  return new CheckedMemory(openBackend(checkedAddress, checkedOptions), checkedAddress, checkedOptions);
}

/** What `with` and policies have added to a memory. */
interface MemorySettings {
  signals?: readonly AbortSignal[];
  restrictions?: Restrictions | null;
  actor?: MemoryActor | null;
}

/** The public door: checks and normalises what comes in, sorts what goes out; the backend only stores. */
class CheckedMemory implements RestrictableMemory {
  readonly address: CheckedAddress;
  readonly paths: PathRule;
  readonly rights: MemoryRights | undefined;
  readonly history: MemoryHistory | null;
  readonly #backend: MemoryBackend;
  readonly #options: Required<MemoryOptions>;
  readonly #signals: readonly AbortSignal[];
  readonly #restrictions: Restrictions | null;
  readonly #actor: MemoryActor | null;

  constructor(
    backend: MemoryBackend,
    address: CheckedAddress,
    options: Required<MemoryOptions>,
    { signals = [], restrictions = null, actor = null }: MemorySettings = {},
  ) {
    this.#backend = backend;
    this.#actor = actor;
    this.address = address;
    this.paths = options.paths;
    this.#options = options;
    this.#signals = signals;
    this.#restrictions = restrictions;
    this.rights = restrictions?.rights;
    this.history = (backend.history?.() ?? null) === null ? null : new CheckedHistory((...call) => this.#runHistory(...call), (path) => restrictions?.assert(path, "write"));
  }

  async #runHistory<T>(act: Act, path: string | null, command: (history: HistoryBackend) => Promise<T>): Promise<T> {
    try {
      return await this.#run(act, async (backend) => {
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
    return this.#existing(target, "read", (backend) => backend.read(target));
  }

  async readFiles(paths: readonly string[]): Promise<(string | null)[]> {
    const targets = paths.map((path) => normalizePath(path));
    return targets.length === 0 ? [] : this.#run("read", (backend) => backend.readFiles(targets));
  }

  async findFiles(texts: readonly string[], { suffix = "" }: { suffix?: string } = {}): Promise<FoundText[]> {
    const given: unknown = texts;
    if (!Array.isArray(given) || given.length > maxSoughtTexts) throw invalid(`texts must be a list of at most ${maxSoughtTexts}`);
    for (const text of texts) {
      checkText(text, "each of texts");
      if (text === "" || text.length > maxSoughtChars) throw invalid(`each of texts must have 1 to ${maxSoughtChars} characters`);
    }
    checkText(suffix, "suffix");
    if (texts.length === 0) return [];
    const candidates = await this.#run("read", async (backend) =>
      backend.findFiles ? backend.findFiles(texts, suffix) : (await backend.snapshot()).files,
    );
    return candidates
      .filter(({ path, content }) => path.endsWith(suffix) && texts.some((text) => content.includes(text)))
      .map(({ path, content }) => ({ path, content }))
      .toSorted((a, b) => compareCodeUnits(a.path, b.path));
  }

  async list(path: string = ROOT): Promise<MemoryEntry[]> {
    const target = normalizePath(path, { emptyIsRoot: true });
    const entries = await this.#existing(target, "read", (backend) => backend.list(target));
    return entries.toSorted((a, b) => compareCodeUnits(a.name, b.name));
  }

  get proposals(): MemoryProposals | null {
    if (this.#backend.records === undefined) return null;
    const checked: AskedMemory["checked"] = (change) => this.#checkedByGuard(change, undefined);
    return new RecordedProposals((act, command) => this.#run(act, command), { checked, maxFileBytes: this.#options.maxFileBytes });
  }

  async append(path: string, content: string): Promise<void> {
    await this.#appending(path, content, (backend, target, text, create) => backend.append(target, text, create), (ask) => ask());
  }

  async snapshotAndAppend(path: string, content: string): Promise<MemorySnapshot> {
    const askFirst = async (ask: () => Promise<void>): Promise<MemorySnapshot> => {
      const before = await this.snapshot();
      await ask();
      return before;
    };
    return sorted(
      await this.#appending(path, content, (backend, target, text, create) => backend.snapshotAndAppend(target, text, create), askFirst),
    );
  }

  async update(path: string, oldContent: string, content: string): Promise<number> {
    const target = normalizePath(path);
    checkText(oldContent, "oldContent");
    if (oldContent === "") throw invalid("oldContent must not be empty");
    this.#checkContent(content, "content");
    if (this.#restrictions?.verdict(target, "write") === "ask") {
      const counts = await this.#askedText(target, { command: "update", oldContent, create: false }, content);
      return counts?.replaced ?? 0;
    }
    return this.#storing("update", target, content, (backend, text) => backend.replace(target, oldContent, text));
  }

  async delete(path: string, options?: DeleteOptions): Promise<DeletedCounts> {
    const target = normalizePath(path);
    if (options !== undefined) checkOptions("DeleteOptions", deleteOptionsSchema, options);
    const ifDirectory = options?.ifDirectory ?? "delete";
    if (ifDirectory === "fail" && target === ROOT) throw withPath(pathIsDirectory(), target);
    const restrictions = this.#restrictions;
    if (restrictions !== null && (await this.#asksWithin(target, restrictions))) {
      const counts = await this.#asked({ command: "delete", path: target }, restrictions, (tree, shown) => {
        for (const below of pathsWithin(tree, target)) restrictions.verdict(below, "write");
        return planDelete(tree, target, ifDirectory, shown);
      });
      return { files: 0, dirs: 0, ...counts };
    }
    restrictions?.assert(target, "write");
    const checkBelow = restrictions?.differ === true ? (below: string): void => restrictions.assert(below, "write") : undefined;
    const counts = await this.#existing(target, "change", (backend) => backend.delete(target, ifDirectory, checkBelow));
    if (counts.files === 0 && counts.dirs === 0) this.#assertCreatable(target);
    return counts;
  }

  async write(path: string, content: string, options?: WriteOptions): Promise<FileStat> {
    const target = normalizePath(path);
    if (options !== undefined) checkOptions("WriteOptions", writeOptionsSchema, options);
    this.#checkContent(content, "content");
    // What is there stays where only a new file is made.
    const verdict = this.#restrictions?.verdict(target, options?.ifExists === "fail" ? "append" : "write");
    const creatable = creationFault(target, this.#options.paths) === null;
    const mode = {
      ifExists: options?.ifExists ?? "replace",
      ifMissing: creatable ? (options?.ifMissing ?? "create") : "fail",
    } as const;
    if (verdict === "ask") {
      const isNew = mode.ifExists === "fail";
      await this.#askedText(target, { command: "write", create: mode.ifMissing === "create", isNew }, content);
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
    if (this.#restrictions?.verdict(target, "write") === "ask") {
      await this.#askedText(target, { command: "edit", create: false }, checkedChange);
      return this.#statOfFile(target);
    }
    if (this.#restrictions?.hasGuard === true) {
      const { act, command } = guardedEdit(this.#askGuards(this.#restrictions), target, checkedChange);
      return this.#existing(target, act, command);
    }
    return this.#existing(target, "change", (backend) => backend.edit(target, checkedChange));
  }

  async rename(from: string, to: string): Promise<void> {
    const source = normalizePath(from);
    const destination = normalizePath(to);
    if (source === ROOT || destination === ROOT) throw invalid("the root cannot be renamed");
    this.#assertCreatable(destination);
    if (destination === source) {
      if ((await this.stat(source)) === null) await this.read(source);
      throw withPath(alreadyExists(), destination);
    }
    if (destination.startsWith(prefixOf(source))) throw invalid("a directory cannot be moved into itself");
    const restrictions = this.#restrictions;
    if (restrictions !== null && (await this.#asksWithin(source, restrictions, destination))) {
      await this.#asked({ command: "rename", path: source }, restrictions, (tree, shown) => {
        for (const moved of pathsWithin(tree, source)) {
          const place = normalizePath(destination + moved.slice(source.length));
          for (const each of [moved, place]) restrictions.verdict(each, "write");
        }
        return planRename(tree, source, destination, shown);
      });
      return;
    }
    restrictions?.assert(source, "write");
    restrictions?.assert(destination, "write");
    const checkMoved = (moved: string): void => {
      normalizePath(moved);
      restrictions?.assert(source + moved.slice(destination.length), "write");
      restrictions?.assert(moved, "write");
    };
    await this.#existing(source, "change", async (backend) => {
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
    const stat = await this.#existing(target, "read", (backend) => backend.stat(target));
    if (stat === null) this.#assertCreatable(target);
    return stat;
  }

  async snapshot(): Promise<MemorySnapshot> {
    return sorted(await this.#run("read", (backend) => backend.snapshot()));
  }

  async outline(options: OutlineOptions = {}): Promise<MemoryOutline> {
    checkOptions("OutlineOptions", outlineOptionsSchema, options);
    const { maxContentBytes = 0, leadChars = 0 } = options;
    const outline = sorted(await this.#run("read", (backend) => backend.outline({ maxContentBytes, leadChars })));
    if (leadChars === 0) return outline;
    return { ...outline, files: outline.files.map((file) => (file.lead === undefined ? file : { ...file, lead: startOf(file.lead, leadChars) })) };
  }

  with(use: MemoryUse): Memory {
    checkMemoryUse(use);
    const { signal, timeoutMs = this.#options.timeoutMs, paths = this.#options.paths } = use;
    const actor = use.actor === undefined ? this.#actor : { ...this.#actor, ...use.actor };
    const signals = signal === undefined || this.#signals.includes(signal) ? this.#signals : [...this.#signals, signal];
    const backend = use.actor === undefined || actor === null ? this.#backend : (this.#backend.forActor?.(actor) ?? this.#backend);
    return new CheckedMemory(backend, this.address, { ...this.#options, timeoutMs, paths }, { signals, restrictions: this.#restrictions, actor });
  }

  [restrict](policy: CheckedPolicy): Memory {
    const restrictions = this.#restrictions?.with(policy) ?? new Restrictions([policy]);
    return new CheckedMemory(this.#backend, this.address, this.#options, { signals: this.#signals, restrictions, actor: this.#actor });
  }

  [bookkeeping](): Memory {
    const restrictions = this.#restrictions;
    if (restrictions?.mayAsk !== true) return this;
    return new CheckedMemory(this.#backend, this.address, this.#options, { signals: this.#signals, restrictions: restrictions.withoutAsking(), actor: this.#actor });
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
    if (this.#restrictions?.verdict(target, "append") === "ask") {
      return askFirst(async () => void (await this.#askedText(target, { command: "append", create }, content)));
    }
    return this.#storing("append", target, content, (backend, text) => command(backend, target, text, create));
  }

  /** Whether a person is asked about what lies at or below a path, or would lie there after a move. @throws EACCES */
  async #asksWithin(path: string, restrictions: Restrictions, destination?: string): Promise<boolean> {
    const ends = destination === undefined ? [path] : [path, destination];
    if (ends.map((end) => restrictions.verdict(end, "write")).includes("ask")) return true;
    if (!restrictions.mayAsk || !restrictions.differ) return false;
    const tree = new MemoryTree(await this.snapshot());
    return pathsWithin(tree, path).some((below) => ends.some((end) => restrictions.verdict(end + below.slice(path.length), "write") === "ask"));
  }

  /** @param content or what makes it of the text */
  #askedText(
    path: string,
    wish: Pick<TextWish, "command" | "oldContent" | "isNew" | "create">,
    content: string | ((text: string) => string),
  ): Promise<PlannedChange["counts"] | null> {
    const { command } = wish;
    const restrictions = this.#restrictions;
    const madeOf = (before: string | null): string => (typeof content === "string" ? content : content(before ?? ""));
    return this.#asked({ command, path, replay: madeOf }, restrictions, (tree, shown, call) => {
      const contentFor = (before: string | null): Promise<string> => this.#checkedByGuard({ command, path, content: madeOf(before) }, call);
      return planText(tree, { ...wish, path, contentFor, maxFileBytes: this.#options.maxFileBytes }, shown);
    });
  }

  #asked(
    change: Omit<AskedChange, "plan">,
    restrictions: Restrictions | null,
    planIn: (tree: MemoryTree, shown: (path: string) => string, call: OngoingCall | undefined) => PlannedChange | Promise<PlannedChange | null>,
  ): Promise<PlannedChange["counts"] | null> {
    return this.#existing(change.path, "change", (backend, call) => {
      const memory: AskedMemory = {
        address: this.address,
        backend,
        asking: restrictions?.asking ?? null,
        shown: (path) => restrictions?.shownPath(path) ?? path,
        checked: (edited) => this.#checkedByGuard(edited, call),
        maxFileBytes: this.#options.maxFileBytes,
      };
      return makeAsked(memory, { ...change, plan: async (shown) => planIn(new MemoryTree(await backend.snapshot()), shown, call) });
    });
  }

  async #statOfFile(path: string): Promise<FileStat> {
    const stat = await this.stat(path);
    if (stat?.kind !== "file") throw withPath(fileNotFound(), path);
    return stat;
  }

  /** The text that the guards let be stored in place of one that a tool or a person has written. */
  async #checkedByGuard({ command, path, content }: { command: ChangeCommand; path: string; content: string }, call: OngoingCall | undefined): Promise<string> {
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
    if (restrictions?.hasGuard !== true) return this.#existing(path, "change", (backend) => store(backend, content));
    const { act, command: guarded } = guardedStore(this.#askGuards(restrictions), { command, path, content }, store);
    return this.#existing(path, act, guarded);
  }

  #askGuards(restrictions: Restrictions): AskGuards {
    return async (change, call) => {
      const text = await restrictions.guarded({ ...change, address: this.address });
      this.#checkContent(text, "the text of the guard");
      call?.throwIfOver();
      return text;
    };
  }

  #run<T>(act: Act | (() => Act), command: BackendCommand<T>): Promise<T> {
    const waiting = { signals: this.#signals, timeoutMs: this.#options.timeoutMs };
    return withinTime(waiting, act, (call) => command(this.#backendFor(call), call));
  }

  #backendFor(call: OngoingCall | undefined): MemoryBackend {
    return call === undefined ? this.#backend : (this.#backend.forCall?.(call) ?? this.#backend);
  }

  /**
   * Runs a command on what may exist. A missing path that could not be created either answers with the reason: the rule
   * limits which names can be created, never which can be reached (specification section 2).
   */
  async #existing<T>(path: string, act: Act | (() => Act), command: BackendCommand<T>): Promise<T> {
    try {
      return await this.#run(act, command);
    } catch (error) {
      if (!MemoryError.isInstance(error)) throw error;
      const fault = error.code === "ENOENT" ? creationFault(path, this.#options.paths) : null;
      throw withPath(fault ?? error, path);
    }
  }

  #assertCreatable(path: string): void {
    const fault = creationFault(path, this.#options.paths);
    if (fault) throw withPath(fault, path);
  }

  #checkContent(content: unknown, name: string): asserts content is string {
    checkText(content, name);
    const { maxFileBytes } = this.#options;
    // A UTF-16 unit is at most three bytes of UTF-8, so most texts need no count.
    if (content.length * 3 <= maxFileBytes) return;
    const sizeBytes = utf8Bytes(content);
    if (sizeBytes > maxFileBytes) throw fileTooLarge(sizeBytes, maxFileBytes);
  }
}

function pathsWithin(tree: MemoryTree, path: string): string[] {
  const { files, directories } = tree.within(path);
  return [...files.map((file) => file.path), ...directories];
}

/** The innermost path that an error is given stays. */
function withPath(error: MemoryError, path: string): MemoryError {
  error.path ??= path;
  return error;
}

function checkText(text: unknown, name: string): asserts text is string {
  if (typeof text !== "string") throw invalid(`${name} must be a string (given ${text === null ? "null" : typeof text})`);
  if (!text.isWellFormed()) throw invalid(`${name} is not well-formed Unicode (it holds a lone surrogate)`);
}

function sorted<T extends MemorySnapshot | MemoryOutline>(tree: T): T {
  return {
    ...tree,
    files: (tree.files as { path: string }[]).toSorted((a, b) => compareCodeUnits(a.path, b.path)),
    directories: tree.directories.toSorted(compareCodeUnits),
  };
}
