import { z } from "zod";
import { guardText } from "./access/guard-change.js";
import { actorField } from "./values/actor.js";
import { blameLines } from "./history/blame.js";
import { withPath } from "./values/error-paths.js";
import { catchRefusal, invalid, MemoryError } from "./values/errors.js";
import {
  type BlamedLine,
  type MemoryHistory,
  type MemoryVersion,
  type RedactedPath,
  type RedactedText,
  type RevertTarget,
  type TextOccurrences,
  type VersionFilter,
} from "./history/history.js";
import type {
  CheckPath,
  HistoryBackend,
  RedactionTarget,
  VersionChange,
  VersionText,
} from "./history/history-backend.js";
import { type MemoryContext, runCall } from "./pipeline.js";
import type { Call } from "./runtime/call.js";
import { checkOptions, countField } from "./settings/check-options.js";
import { preview } from "./values/text.js";
import { normalizePath } from "./values/paths.js";
import { isObject, isRecord } from "./values/unknown-values.js";
import type { MemorySnapshot } from "./tree/snapshot.js";
import { type DiffSide, readableDiff, unifiedDiff } from "./history/unified-diff.js";
import { checkVersionId } from "./history/version-id.js";

/** Versions that the first command of a list reads. Most callers stop after a few. */
const firstPageSize = 100;
/** Each later command reads twice as many, because each reads the changes in the memory again. */
const maxPageSize = 3200;

const date = z.date({ message: "must be a valid Date" });

const filterSchema = z.strictObject({
  path: z.string().optional(),
  actor: actorField.optional(),
  operation: z.enum(["created", "modified", "deleted", "renamed"]).optional(),
  sources: z.array(z.string()).optional(),
  redacted: z.literal(true).optional(),
  after: date.optional(),
  before: date.optional(),
  limit: countField.optional(),
});

const someText = z.string().min(1);

const targetSchemas = {
  path: z.strictObject({ path: z.string(), to: someText }),
  runId: z.strictObject({ runId: someText }),
  toolCallId: z.strictObject({ toolCallId: someText }),
};

/** The text of `redact` and `findText`. */
export const textToRedact = z
  .string()
  .min(1, "must not be empty")
  .max(1_000_000)
  .refine((given) => given.isWellFormed(), { message: "must be well-formed Unicode" });

const redactedTextSchema = z.strictObject({ text: textToRedact, cut: z.boolean().optional() });

const redactedPathSchema = z.strictObject({ path: z.string() });

const revertOptionsSchema = z.strictObject({ force: z.boolean().optional() });

/** A history with the additional methods that only this package uses. */
export interface PagedHistory
  extends
    MemoryHistory,
    Pick<BackendHistory, "page" | "after" | "readChange" | "readChanges" | "readableDiff" | "takeBack"> {}

/** Checks the shape, because the ESM and CommonJS builds of this package have a class each. */
export function isPaged(history: MemoryHistory): history is PagedHistory {
  return "page" in history && "readChanges" in history;
}

/** The history of a memory over a backend. Checks arguments, and computes diffs and blame from the stored versions. */
export class BackendHistory implements MemoryHistory {
  readonly #context: MemoryContext;

  constructor(context: MemoryContext) {
    this.#context = context;
  }

  list(filter: VersionFilter = {}): AsyncIterable<MemoryVersion> {
    checkOptions("VersionFilter", filterSchema, filter);
    const { limit = Infinity, path, ...others } = filter;
    return this.#pages(
      { ...others, ...(path !== undefined && { path: normalizePath(path, { emptyIsRoot: true }) }) },
      limit,
    );
  }

  /** @param filter with a normalised path. @param olderThan the last version of the page before */
  async page(filter: Omit<VersionFilter, "limit">, limit: number, olderThan: string | null): Promise<MemoryVersion[]> {
    if (olderThan !== null) checkVersionId(olderThan);
    return this.#run("read", filter.path ?? null, (history) => history.page(filter, limit, olderThan));
  }

  async *#pages(filter: Omit<VersionFilter, "limit">, limit: number): AsyncGenerator<MemoryVersion> {
    let last: string | null = null;
    let pageSize = firstPageSize;
    for (let count = 0; count < limit; pageSize = Math.min(2 * pageSize, maxPageSize)) {
      const size = Math.min(pageSize, limit - count);
      const page: MemoryVersion[] = await this.page(filter, size, last);
      yield* page;
      if (page.length < size) return;
      count += page.length;
      last = page.at(-1)?.id ?? null;
    }
  }

  async read(id: string): Promise<MemoryVersion & { content: string | null }> {
    const versionId = checkVersionId(id);
    return this.#run("read", null, (history) => history.read(versionId));
  }

  async after(newerThan: string | null, limit: number): Promise<MemoryVersion[]> {
    if (newerThan !== null) checkVersionId(newerThan);
    return this.#run("read", null, (history) => history.after(newerThan, limit));
  }

  async readChange(id: string): Promise<VersionChange> {
    const versionId = checkVersionId(id);
    return this.#run("read", null, (history) => history.readChange(versionId));
  }

  async readChanges(ids: readonly string[]): Promise<VersionChange[]> {
    const versionIds = ids.map(checkVersionId);
    return this.#run("read", null, (history) => history.readChanges(versionIds));
  }

  async at(when: string | Date): Promise<MemorySnapshot> {
    const moment = when instanceof Date ? checkTime(when) : checkVersionId(when);
    return this.#run("read", null, (history) => history.at(moment));
  }

  async diff(from: string, to?: string): Promise<string> {
    return this.#compare(from, to, unifiedDiff);
  }

  async readableDiff(from: string, to?: string): Promise<string> {
    return this.#compare(from, to, readableDiff);
  }

  async #compare(from: string, to: string | undefined, format: typeof unifiedDiff): Promise<string> {
    const older = checkVersionId(from);
    const newer = to === undefined ? null : checkVersionId(to);
    return this.#run("read", null, async (history, call) => {
      const texts = await history.texts(older, newer);
      return format(createSide(texts.from), createSide(texts.to), call);
    });
  }

  async blame(path: string): Promise<BlamedLine[]> {
    const target = normalizePath(path);
    return this.#run("read", target, async (history, call) => blameLines(await history.lineage(target), call));
  }

  async revert(what: RevertTarget, options: { force?: boolean } = {}): Promise<MemoryVersion[]> {
    const target = checkTarget(what);
    checkOptions("RevertOptions", revertOptionsSchema, options);
    const path = "path" in target ? target.path : null;
    return this.#run("change", path, (history, call) =>
      history.revert(target, options.force ?? false, this.#checkPath, (file, content) =>
        guardText(this.#context, { command: "write", path: file, content }, call),
      ),
    );
  }

  async findText(text: string): Promise<TextOccurrences> {
    checkOptions("RedactedText", redactedTextSchema, { text });
    return this.#run("read", null, (history) => history.findText(text));
  }

  async redact(what: RedactedText | RedactedPath): Promise<number> {
    const target = checkRedacted(what);
    return this.#run("change", null, (history) => history.redact(target, this.#checkPath));
  }

  /**
   * Reverts the addition of a call, and redacts the added text. No policy refuses it, because a policy has allowed the
   * change, and no signal ends it. @internal
   */
  async takeBack(toolCallId: string, text: string): Promise<void> {
    const history = new BackendHistory({ ...this.#context, policies: null, signals: [] });
    await history.revert({ toolCallId });
    // EINVAL: somebody else has written the same text.
    await catchRefusal(history.redact({ text }), "EINVAL");
  }

  /** @param path set on errors that have no path */
  async #run<R>(
    stage: "read" | "change",
    path: string | null,
    run: (history: HistoryBackend, call: Call) => Promise<R>,
  ): Promise<R> {
    try {
      return await runCall(this.#context, (call) => {
        const history = this.#context.backend.features?.history?.(call);
        if (history === undefined)
          throw invalid("this memory keeps no history; a MongoMemoryStore with history: true keeps one");
        call.stage = stage;
        return run(history, call);
      });
    } catch (error) {
      throw path !== null && MemoryError.isInstance(error) ? withPath(error, path) : error;
    }
  }

  get #checkPath(): CheckPath | null {
    const { policies } = this.#context;
    return policies === null ? null : (path) => policies.assertMayWrite(path);
  }
}

/** @throws TypeError for a bad shape, MemoryError EINVAL for a bad path */
function checkTarget(what: RevertTarget): RevertTarget {
  const given: unknown = what;
  const kind = isObject(given) && (["runId", "toolCallId", "path"] as const).find((field) => field in given);
  if (!kind)
    throw new TypeError(`what is reverted is { path, to }, { runId } or { toolCallId } (given ${preview(given)})`);
  const schema: z.ZodType = targetSchemas[kind];
  checkOptions("RevertTarget", schema, what);
  return "path" in what ? { ...what, path: normalizePath(what.path, { emptyIsRoot: true }) } : what;
}

/** @throws MemoryError EINVAL */
function checkTime(time: Date): Date {
  if (Number.isNaN(time.getTime())) throw invalid("the time of a tree must be a valid Date");
  return time;
}

/** @throws TypeError for a bad shape, MemoryError EINVAL for a bad path */
function checkRedacted(what: RedactedText | RedactedPath): RedactionTarget {
  const given: unknown = what;
  if (isRecord(given) && "path" in given) {
    const { path } = checkOptions("RedactedPath", redactedPathSchema, given);
    return { path: normalizePath(path) };
  }
  const { text, cut = false } = checkOptions("RedactedText", redactedTextSchema, given);
  return { text, cut };
}

function createSide({ path, id, content }: VersionText): DiffSide {
  if (content === null) return { name: "/dev/null", text: "" };
  return { name: id === null ? path : `${path}\tversion ${id}`, text: content };
}
