import type { RecordRedaction } from "../../../core/approval/redact-records.js";
import type { Steps } from "../../../core/runtime/time-slices.js";
import { pathIsDirectory } from "../../../core/values/errors.js";
import { withPath } from "../../../core/values/error-paths.js";
import { ROOT } from "../../../core/values/paths.js";
import type { PresentMemory } from "../history-context.js";
import type { HistoryView } from "../history-view.js";
import { getPublicId, getRevision, isWhollyRedacted, type VersionDocument } from "../version-document.js";
import type { FileRedaction, RedactionMark } from "./cover-file.js";
import { nowhere, type PresentOccurrences } from "./present-occurrences.js";
import type { FileWalk, RedactionSubject } from "./subject.js";
import { isWaitingOn, toSource } from "./tied-records.js";
import type { Redaction } from "./write-redactions.js";

/** The earlier versions of the files that are or were at a path, under all their names (ADR 0046). */
export class PathSubject implements RedactionSubject {
  readonly records: RecordRedaction;
  readonly forms = [];
  readonly #path: string;
  /** The names of the files. */
  readonly #names: Set<string>;
  readonly #sources = new Set<string>();
  /** The revision up to which versions are redacted. What is written meanwhile is a later version. */
  #revision: number | null = null;

  constructor(path: string) {
    this.#path = path;
    this.#names = new Set([path]);
    this.records = {
      isTied: (record) =>
        isWaitingOn(record, this.#sources) || [record.path, record.to].some((name) => this.#names.has(name ?? "")),
      isPathRedacted: (name) => this.#names.has(name),
      coverShort: (text) => text,
      coverSources: (sources) => sources,
      coverActor: (actor) => actor,
    };
  }

  note(versions: readonly VersionDocument[]): void {
    for (const version of versions) {
      this.#sources.add(toSource(version));
      for (const name of [version.path, version.from]) if (name !== undefined) this.#names.add(name);
    }
  }

  canFollow(): boolean {
    return true;
  }

  *findPresent({ tree }: PresentMemory): Steps<PresentOccurrences> {
    yield;
    if (this.#path === ROOT || tree.directories.has(this.#path)) throw withPath(pathIsDirectory(), this.#path);
    return nowhere;
  }

  async listFiles(view: HistoryView): Promise<Map<string, string>> {
    this.#revision ??= view.present.lastRevision;
    const ids = await view.filesAt(this.#path);
    return new Map([...(await view.files())].filter(([file]) => ids.has(file)));
  }

  redactDirectories(): Redaction[] {
    return [];
  }

  openFile(mark: RedactionMark): FileWalk {
    return new FilePathRedaction(this.#path, this.#revision ?? 0, mark);
  }
}

class FilePathRedaction implements FileWalk {
  readonly servedMarks = [];
  readonly #path: string;
  readonly #revision: number;
  readonly #mark: RedactionMark;
  readonly #versions: VersionDocument[] = [];
  readonly #texts: Redaction[] = [];
  readonly #names: { redaction: Redaction; isOfSubject: boolean }[] = [];
  #isNewest = true;

  constructor(path: string, revision: number, mark: RedactionMark) {
    this.#path = path;
    this.#revision = revision;
    this.#mark = mark;
  }

  get isClean(): boolean {
    return this.#texts.length + this.#names.length === 0;
  }

  *add(version: VersionDocument): Generator<void, void> {
    yield;
    const id = getPublicId(version);
    if (getRevision(id) > this.#revision) return;
    const isKept = this.#isNewest && version.operation !== "deleted";
    this.#isNewest = false;
    const { path, from, older, covering } = version;
    const isRedacted = isKept || isWhollyRedacted(version);
    if (!isRedacted) this.#versions.push(version);
    const set = {
      ...(older && { older: null }),
      ...(!isRedacted && {
        redactedAt: this.#mark.at,
        ...(this.#mark.by !== null && { redactedBy: this.#mark.by }),
        sizeBytes: null,
        sha256: null,
      }),
    };
    const marks = [...(isRedacted ? [] : (["masked"] as const)), ...(covering ? (["covering"] as const) : [])];
    if (Object.keys(set).length + marks.length > 0) this.#texts.push({ id, set, unset: marks });
    const unset = [
      ...(path !== undefined && !isKept ? (["path"] as const) : []),
      ...(from !== undefined ? (["from"] as const) : []),
    ];
    const isOfSubject = path === this.#path || from === this.#path;
    if (unset.length > 0) this.#names.push({ redaction: { id, set: {}, unset }, isOfSubject });
  }

  /**
   * The oldest version comes first: a version is marked before the next one loses the text that they share. A next call
   * finds the file by its name, so the versions with that name lose it last.
   */
  *end(): Generator<FileRedaction, void> {
    if (this.isClean) return;
    const texts = this.#texts.toReversed();
    const names = this.#names.toSorted((a, b) => Number(a.isOfSubject) - Number(b.isOfSubject));
    yield { versions: this.#versions, redactions: [...texts, ...names.map(({ redaction }) => redaction)] };
  }
}
