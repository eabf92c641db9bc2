import { readMarks } from "../core/search/log-parts.js";
import type { LogMemory } from "../core/restrictable-memory.js";
import { catchRefusal, hasCode, type MemoryError } from "../core/values/errors.js";
import { getPathPrefix } from "../core/values/paths.js";
import type { LogEntry } from "./entries.js";
import {
  addPart,
  findEnd,
  findNewEntries,
  formatEnd,
  formatNextPart,
  getEnd,
  type LogPart,
  takeLastTurn,
} from "./log-text.js";

/** The end of the last part of a thread. */
export interface PartEnd {
  path: string;
  day: string;
  /** The marks of the last messages in the part. */
  marks: string;
  /** The marks of all messages of the turn. */
  turn: ReadonlySet<string>;
}

interface LogText {
  day: string;
  time: string;
  threadId: string | undefined;
  /** The given messages of the thread, old and new. */
  entries: readonly LogEntry[];
  keepDays: number | null;
  /** Whether all entries of a thread that the log does not know are new, or only those of the last turn. */
  isWholeNew: boolean;
  /** The mark of an earlier entry that could not be written. */
  missedSince: string | null;
  /** Receives the refusal of a guard. */
  onRefusal: (error: MemoryError) => void;
}

interface Written {
  count: number;
  end: PartEnd | null;
}

/** Thrown inside an edit, to write nothing. */
class NothingNew extends Error {}

/** Writes the new messages of a thread to the file of a day. */
export class LogWriter {
  readonly #log: LogMemory;
  readonly #text: LogText;
  /** The texts that the guard allowed. Null: refused. */
  readonly #guarded = new Map<string, string | null>();

  constructor(log: LogMemory, text: LogText) {
    this.#log = log;
    this.#text = text;
  }

  /**
   * Writes in one command if this process wrote the end of the thread, and it still is the end.
   * @param end the end of the thread, as this process wrote it
   */
  async write(end: PartEnd | null): Promise<Written> {
    const added = end && this.#findAfter(end);
    if (end === null || added === null) return this.#writeAfterReading(end);
    if (added.length === 0) return { count: 0, end };
    return (await this.#replaceEnd(end, added)) ?? (await this.#writeAfterReading(end));
  }

  /** Returns the entries after the end. Null if this process does not know whether the log has the entries before it. */
  #findAfter(end: PartEnd): readonly LogEntry[] | null {
    const { day, entries } = this.#text;
    const marks = new Set(end.marks.split(" "));
    const last = entries.findLastIndex(({ mark }) => marks.has(mark));
    if (end.day !== day || last === -1) return null;
    const turn = takeLastTurn(entries, null);
    const before = entries.slice(entries.length - turn.length, last + 1);
    return before.every(({ mark }) => end.turn.has(mark)) ? entries.slice(last + 1) : null;
  }

  /** Returns null if the text has another end by now, or is full. */
  async #replaceEnd({ path, marks }: PartEnd, added: readonly LogEntry[]): Promise<Written | null> {
    await this.#guard(path, added);
    const part = this.#createPart(added);
    const update = this.#log.memory.update(path, formatEnd(marks), formatNextPart(marks, part));
    const replaced = await catchRefusal(update, "ENOENT", "EFBIG");
    return replaced === null || replaced === 0 ? null : this.#describe(path, part);
  }

  async #writeAfterReading(end: PartEnd | null): Promise<Written> {
    const { entries, isWholeNew, missedSince, day } = this.#text;
    const files = await this.#readDays();
    // If a person has deleted messages that this process logged, they are not logged again.
    const marks = new Set([...files.flatMap(({ content }) => readMarks(content)), ...(end?.turn ?? [])]);
    const added = findNewEntries(entries, marks) ?? (isWholeNew ? entries : takeLastTurn(entries, missedSince));
    if (added.length === 0) return { count: 0, end };
    const numbers = files.filter((file) => file.day === day).map(({ number }) => number);
    let number = Math.max(1, ...numbers);
    await this.#guard(this.#toPath(number), added);
    let written = await this.#writeToFile(this.#toPath(number), added);
    while (written === null) written = await this.#writeToFile(this.#toPath((number += 1)), added);
    await this.#deleteOldDays(files);
    return written;
  }

  /** Adds a part, unless another process has added it meanwhile. Returns null if the file is full. */
  async #writeToFile(path: string, added: readonly LogEntry[]): Promise<Written | null> {
    const { memory } = this.#log;
    let part = this.#createPart(added);
    const add = (text: string): string => {
      const marks = new Set(readMarks(text));
      const rest = added.filter(({ mark }) => !marks.has(mark));
      if (rest.length === 0) throw new NothingNew();
      part = this.#createPart(rest);
      return addPart(text, findEnd(this.#text.entries, text), part);
    };
    try {
      const edited = await catchRefusal(memory.edit(path, add), "ENOENT");
      const isDone = edited ?? (await catchRefusal(memory.write(path, add(""), { ifExists: "fail" }), "EEXIST"));
      return isDone === null ? await this.#writeToFile(path, added) : this.#describe(path, part);
    } catch (error) {
      if (error instanceof NothingNew) return { count: 0, end: null };
      if (hasCode(error, "EFBIG") && (await memory.stat(path)) !== null) return null;
      throw error;
    }
  }

  /** Each text is guarded by itself. A text that is refused is left out. */
  async #guard(path: string, added: readonly LogEntry[]): Promise<void> {
    for (const { mark, text } of added) {
      if (this.#guarded.has(mark)) continue;
      try {
        this.#guarded.set(mark, await this.#log.guard(path, text));
      } catch (error) {
        if (!hasCode(error, "EACCES")) throw error;
        this.#guarded.set(mark, null);
        this.#text.onRefusal(error);
      }
    }
  }

  #createPart(added: readonly LogEntry[]): LogPart {
    const entries = added.flatMap((entry) => {
      const text = this.#guarded.get(entry.mark) ?? null;
      return text === null ? [] : [{ ...entry, text }];
    });
    const { time, threadId } = this.#text;
    return { time, threadId, entries, marks: added.map(({ mark }) => mark) };
  }

  #describe(path: string, part: LogPart): Written {
    const { day, entries } = this.#text;
    const turn = new Set(takeLastTurn(entries, null).map(({ mark }) => mark));
    return { count: part.entries.length, end: { path, day, marks: getEnd(part), turn } };
  }

  #toPath(number: number): string {
    return `${getPathPrefix(this.#log.path)}${this.#text.day}${number === 1 ? "" : `_${number}`}.md`;
  }

  async #readDays(): Promise<DayFile[]> {
    const prefix = getPathPrefix(this.#log.path);
    return (await this.#log.memory.snapshot()).files.flatMap(({ path, content }) => {
      const [, day, number = "1"] = (path.startsWith(prefix) && dayName.exec(path.slice(prefix.length))) || [];
      return day === undefined ? [] : [{ path, content, day, number: Number(number) }];
    });
  }

  async #deleteOldDays(files: readonly DayFile[]): Promise<void> {
    const { keepDays, day } = this.#text;
    if (keepDays === null) return;
    const first = new Date(Date.parse(day) - (keepDays - 1) * 86_400_000).toISOString().slice(0, 10);
    for (const file of files) if (file.day < first) await this.#log.memory.delete(file.path);
  }
}

/** A file of the log. A day whose file is full has another one, such as `2026-03-04_2.md`. */
interface DayFile {
  path: string;
  content: string;
  day: string;
  number: number;
}

const dayName = /^(\d{4}-\d\d-\d\d)(?:_(\d+))?\.md$/;
