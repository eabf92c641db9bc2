import type { MemoryInternals } from "../core/bind-memory.js";
import { readLogMarks } from "../core/search/log-lines.js";
import { catchRefusal, hasCode, type MemoryError } from "../core/values/errors.js";
import { getPathPrefix } from "../core/values/paths.js";
import { createMark, type LogEntry } from "./entries.js";
import { addMessages, findNewEntries, type GuardedEntry, takeLastTurn } from "./log-text.js";

interface LogText {
  day: string;
  time: string;
  threadId: string | undefined;
  /** The given messages of the thread, old and new. */
  entries: readonly LogEntry[];
  keepDays: number | null;
  /** Whether all entries of a thread that the log does not know are new, or only those of the last turn. */
  isWholeNew: boolean;
  /** The mark of the last entry that this process has logged. */
  last: string | null;
  /** The mark of an earlier entry that could not be written. */
  missedSince: string | null;
  /** Receives the refusal of a guard. */
  onRefusal: (error: MemoryError) => void;
}

/** A memory to which the rules for agents do not apply. It calls no guard itself. `path` is the directory of the log. */
type LogMemory = Pick<MemoryInternals, "memory" | "path" | "guard">;

/** The entries to add to a text, and those of the turn that an earlier file has. */
interface Addition {
  added: readonly LogEntry[];
  /** Whether the log has some of the given messages. */
  isKnown: boolean;
  /** Their marks go into the file of the day, so that it alone says which messages of the turn the log has. */
  carried: readonly LogEntry[];
}

/** Ends an edit without a change. */
class NoEdit extends Error {
  /** The entries that must pass the guard first. `all`: the text has them all. `unknown`: an earlier file may have some. */
  readonly reason: readonly LogEntry[] | "all" | "unknown";

  constructor(reason: NoEdit["reason"]) {
    super();
    this.reason = reason;
  }
}

/** Writes the new messages of a thread to its file of a day. */
export class LogWriter {
  readonly #log: LogMemory;
  readonly #text: LogText;
  readonly #directory: string;
  readonly #name: string;
  /** The texts that the guard allowed. Null: refused. */
  readonly #guarded = new Map<string, string | null>();
  /** The marks in an earlier file. Null: none was read. */
  #earlier: ReadonlySet<string> | null = null;
  /** The most entries of one write. A long list may not fit into one file. */
  #most = Infinity;
  /** Whether a file of the day was full and got a number. */
  #hasFullFile = false;

  constructor(log: LogMemory, text: LogText) {
    this.#log = log;
    this.#text = text;
    this.#directory = getPathPrefix(log.path);
    this.#name = getThreadName(text.threadId);
  }

  /** @returns the number of messages that were new */
  async write(): Promise<number> {
    await this.#guard(takeLastTurn(this.#text.entries, this.#text.missedSince));
    let count = 0;
    for (let added = await this.#add(); added !== null; added = await this.#add()) {
      count += added.filter(({ mark }) => this.#guarded.get(mark) !== null).length;
      if (added.length < this.#most) break;
    }
    return count;
  }

  /** Adds to the file of the day. Returns null if it has all entries. */
  async #add(): Promise<readonly LogEntry[] | null> {
    let added: readonly LogEntry[] = [];
    for (;;) {
      let isEmpty = true;
      const addTo = (text: string): string => {
        isEmpty = text === "";
        const marks = new Set(readLogMarks(text));
        const chosen = this.#choose(new Set([...marks, ...(this.#earlier ?? [])]));
        // A thread may go on from what was said on an earlier day.
        if (!chosen.isKnown && this.#earlier === null && !this.#isFirstTurn) throw new NoEdit("unknown");
        ({ added } = chosen);
        const carried = chosen.carried.filter(({ mark }) => !marks.has(mark));
        return this.#format(text, added, carried);
      };
      try {
        const edited = await catchRefusal(this.#log.memory.edit(this.#toPath(), addTo), "ENOENT");
        if (edited !== null) return added;
        const created = await this.#create();
        if (created !== "exists") return created;
      } catch (error) {
        if (error instanceof NoEdit) {
          if (error.reason === "all") return null;
          if (error.reason === "unknown") this.#earlier = await this.#readEarlierMarks();
          else await this.#guard(error.reason);
        } else if (hasCode(error, "EFBIG") && !isEmpty) await this.#closeFile();
        else if (hasCode(error, "EFBIG") && this.#halve()) continue;
        else throw error;
      }
    }
  }

  /** Creates the file of the day. Its thread may have earlier files. */
  async #create(): Promise<readonly LogEntry[] | "exists" | null> {
    this.#earlier ??= await this.#readEarlierMarks();
    const { added, carried } = this.#choose(this.#earlier);
    const content = this.#format("", added, carried);
    const written = await catchRefusal(this.#log.memory.write(this.#toPath(), content, { ifExists: "fail" }), "EEXIST");
    if (written === null) return "exists";
    await this.#deleteOldDays();
    return added;
  }

  #choose(marks: ReadonlySet<string>): Addition {
    const { entries, isWholeNew, last, missedSince } = this.#text;
    const unknown = isWholeNew ? entries : takeLastTurn(entries, missedSince);
    const known = last === null ? marks : new Set([...marks, last]);
    const found = findNewEntries(entries, known, missedSince);
    const added = (found ?? unknown).slice(0, this.#most);
    return {
      added,
      isKnown: found !== null,
      carried: takeLastTurn(entries, null).filter(({ mark }) => marks.has(mark)),
    };
  }

  /** @throws NoEdit if there is nothing to add, or if a text must pass the guard first */
  #format(text: string, added: readonly LogEntry[], carried: readonly LogEntry[]): string {
    if (added.length === 0) throw new NoEdit("all");
    const unguarded = added.filter(({ mark }) => !this.#guarded.has(mark));
    if (unguarded.length > 0) throw new NoEdit(unguarded);
    const known = carried.map((entry): GuardedEntry => ({ ...entry, text: null }));
    const guarded = added.map((entry): GuardedEntry => ({ ...entry, text: this.#guarded.get(entry.mark) ?? null }));
    const start = known.length === 0 ? text : addMessages(text, null, known);
    return addMessages(start, this.#text.time, guarded);
  }

  get #isFirstTurn(): boolean {
    const { entries } = this.#text;
    return takeLastTurn(entries, null).length === entries.length;
  }

  /** Returns the marks in the last earlier file that has some of the given messages. Full files of today are earlier. */
  async #readEarlierMarks(): Promise<ReadonlySet<string>> {
    const { entries, day } = this.#text;
    // A first turn can only be in an earlier file if it was tried before midnight.
    const isNew = this.#isFirstTurn && !this.#hasFullFile;
    for (const path of isNew ? [this.#toPath(getDayBefore(day))] : await this.#findEarlierFiles()) {
      const text = await catchRefusal(this.#log.memory.read(path), "ENOENT", "EISDIR", "ENOTDIR");
      const marks = new Set(readLogMarks(text ?? ""));
      if (entries.some(({ mark }) => marks.has(mark))) return marks;
    }
    return new Set();
  }

  /** Finds the last files of the thread by their names, the newest first. */
  async #findEarlierFiles(): Promise<string[]> {
    const { files } = await this.#log.memory.outline();
    const own = files.flatMap(({ path }) => {
      const [, day, thread, number] =
        (path.startsWith(this.#directory) && dayFile.exec(path.slice(this.#directory.length))) || [];
      return day === undefined || thread !== this.#name || day > this.#text.day
        ? []
        : [{ path, day, number: number === undefined ? Infinity : Number(number) }];
    });
    return own
      .toSorted((a, b) => (a.day === b.day ? b.number - a.number : a.day < b.day ? 1 : -1))
      .map(({ path }) => path)
      .filter((path) => path !== this.#toPath())
      .slice(0, maxEarlierFiles);
  }

  /** Gives the full file of the day a number, so that the next write begins a new one. */
  async #closeFile(): Promise<void> {
    this.#hasFullFile = true;
    this.#earlier = null;
    const path = this.#toPath();
    for (let number = 1; ; number += 1) {
      const to = `${path.slice(0, -extension.length)}.${number}${extension}`;
      try {
        // Another process may have closed it.
        await catchRefusal(this.#log.memory.rename(path, to), "ENOENT");
        return;
      } catch (error) {
        if (!hasCode(error, "EEXIST")) throw error;
      }
    }
  }

  /** Returns false if one entry alone is too large. */
  #halve(): boolean {
    const count = Math.min(this.#most, this.#text.entries.length);
    this.#most = Math.ceil(count / 2);
    return count > 1;
  }

  /** Each text is guarded by itself. A text that is refused is left out. */
  async #guard(added: readonly LogEntry[]): Promise<void> {
    for (const { mark, text } of added) {
      if (this.#guarded.has(mark)) continue;
      try {
        this.#guarded.set(mark, await this.#log.guard(this.#toPath(), text));
      } catch (error) {
        if (!hasCode(error, "EACCES")) throw error;
        this.#guarded.set(mark, null);
        this.#text.onRefusal(error);
      }
    }
  }

  #toPath(day = this.#text.day): string {
    return `${this.#directory}${day}/${this.#name}${extension}`;
  }

  async #deleteOldDays(): Promise<void> {
    const { keepDays, day } = this.#text;
    if (keepDays === null) return;
    const first = new Date(Date.parse(day) - (keepDays - 1) * dayMs).toISOString().slice(0, 10);
    for (const { name, kind } of await this.#log.memory.list(this.#log.path))
      if (kind === "dir" && dayName.test(name) && name < first)
        await catchRefusal(this.#log.memory.delete(this.#directory + name), "ENOENT");
  }
}

/** Files of a thread that are read if the file of the day knows none of its messages. */
const maxEarlierFiles = 5;

const dayMs = 86_400_000;
const extension = ".md";
const dayName = /^\d{4}-\d\d-\d\d$/;
const dayFile = /^(\d{4}-\d\d-\d\d)\/([\w-]+)(?:\.(\d+))?\.md$/;

function getDayBefore(day: string): string {
  return new Date(Date.parse(day) - dayMs).toISOString().slice(0, 10);
}

const maxNameChars = 64;

/** Returns the name of a thread's files. An id that is no such name gets a part of its hash. */
function getThreadName(threadId: string | number | undefined): string {
  if (threadId === undefined) return "no-thread";
  // A program can give a number.
  const id = String(threadId);
  const name = id.replaceAll(/[^\w-]+/g, "-").slice(0, maxNameChars);
  const isExact = name === id && name !== "" && name !== "no-thread";
  return isExact ? name : `${name === "" ? "thread" : name}-${createMark(id)}`;
}
