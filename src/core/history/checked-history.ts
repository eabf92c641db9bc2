import { z } from "zod";
import { actorField } from "../values/actor.js";
import { blameLines } from "./blame.js";
import { invalid } from "../values/errors.js";
import type { BlamedLine, MemoryHistory, MemoryVersion, RevertTarget, VersionFilter } from "./history.js";
import type { HistoryBackend, VersionText } from "./history-backend.js";
import type { Stage as Act } from "../runtime/call.js";
import { checkOptions, preview } from "../settings/options.js";
import { normalizePath } from "../values/paths.js";
import type { MemorySnapshot } from "../tree/snapshot.js";
import { type DiffSide, unifiedDiff } from "./unified-diff.js";
import { checkVersionIdIsText } from "./version-id.js";

/** Runs a call of the history within the time of the memory's calls. @param path of an error that names none */
export type RunHistoryCall = <T>(
  act: Act,
  path: string | null,
  call: (history: HistoryBackend) => Promise<T>,
) => Promise<T>;

/** One command of a database each. */
const pageSize = 100;

const maxRedactedIds = 1000;

const date = z.date({ message: "must be a valid Date" });

const filterSchema = z
  .object({
    path: z.string().optional(),
    actor: actorField.optional(),
    operation: z.enum(["created", "modified", "deleted", "renamed"]).optional(),
    after: date.optional(),
    before: date.optional(),
    limit: z.number().int().min(1).optional(),
  })
  .strict();

const text = z.string().min(1);

const targetSchemas = {
  path: z.object({ path: z.string(), to: text }).strict(),
  runId: z.object({ runId: text }).strict(),
  toolCallId: z.object({ toolCallId: text }).strict(),
};

const revertOptionsSchema = z.object({ force: z.boolean().optional() }).strict();

/** The public door of a history: checks what comes in, and makes diffs and blame of what the backend keeps. */
export class CheckedHistory implements MemoryHistory {
  readonly #run: RunHistoryCall;
  readonly #assertWritable: (path: string) => void;

  /** @param assertWritable throws for a path of the memory that may not be changed */
  constructor(run: RunHistoryCall, assertWritable: (path: string) => void) {
    this.#run = run;
    this.#assertWritable = assertWritable;
  }

  list(filter: VersionFilter = {}): AsyncIterable<MemoryVersion> {
    checkOptions("VersionFilter", filterSchema, filter);
    const { limit = Infinity, path, ...others } = filter;
    return this.#pages(
      { ...others, ...(path !== undefined && { path: normalizePath(path, { emptyIsRoot: true }) }) },
      limit,
    );
  }

  async *#pages(filter: Omit<VersionFilter, "limit">, limit: number): AsyncGenerator<MemoryVersion> {
    let last: string | null = null;
    for (let count = 0; count < limit;) {
      const [size, after]: [number, string | null] = [Math.min(pageSize, limit - count), last];
      const page: MemoryVersion[] = await this.#run("read", filter.path ?? null, (history) =>
        history.page(filter, size, after),
      );
      yield* page;
      if (page.length < size) return;
      count += page.length;
      last = page.at(-1)?.id ?? null;
    }
  }

  async read(id: string): Promise<MemoryVersion & { content: string | null }> {
    checkVersionIdIsText(id);
    return this.#run("read", null, (history) => history.read(id));
  }

  async at(id: string): Promise<MemorySnapshot> {
    checkVersionIdIsText(id);
    return this.#run("read", null, (history) => history.at(id));
  }

  async diff(from: string, to?: string): Promise<string> {
    for (const id of to === undefined ? [from] : [from, to]) checkVersionIdIsText(id);
    const texts = await this.#run("read", null, (history) => history.texts(from, to ?? null));
    return unifiedDiff(sideOf(texts.from), sideOf(texts.to));
  }

  async blame(path: string): Promise<BlamedLine[]> {
    const target = normalizePath(path);
    return this.#run("read", target, async (history) => blameLines(await history.lineage(target)));
  }

  async revert(what: RevertTarget, options: { force?: boolean } = {}): Promise<MemoryVersion[]> {
    const target = checkTarget(what);
    checkOptions("RevertOptions", revertOptionsSchema, options);
    const path = "path" in target ? target.path : null;
    return this.#run("change", path, (history) => history.revert(target, options.force ?? false, this.#assertWritable));
  }

  async redact(ids: string | readonly string[]): Promise<number> {
    const all = [...new Set(typeof ids === "string" ? [ids] : checkIds(ids))];
    if (all.length === 0) return 0;
    for (const id of all) checkVersionIdIsText(id);
    return this.#run("change", null, (history) => history.redact(all, this.#assertWritable));
  }
}

/** @throws TypeError for a bad shape, MemoryError EINVAL for a bad path */
function checkTarget(what: RevertTarget): RevertTarget {
  const given: unknown = what;
  const isObject = typeof given === "object" && given !== null;
  const kind = isObject && (["runId", "toolCallId", "path"] as const).find((field) => field in given);
  if (!kind)
    throw new TypeError(`what is reverted is { path, to }, { runId } or { toolCallId } (given ${preview(given)})`);
  checkOptions("RevertTarget", targetSchemas[kind], what);
  return "path" in what ? { ...what, path: normalizePath(what.path, { emptyIsRoot: true }) } : what;
}

function checkIds(ids: unknown): string[] {
  if (Array.isArray(ids) && ids.length <= maxRedactedIds) return ids as string[];
  throw invalid(`ids must be an id of a version, or a list of at most ${maxRedactedIds}`);
}

function sideOf({ path, id, content }: VersionText): DiffSide {
  if (content === null) return { name: "/dev/null", text: "" };
  return { name: id === null ? path : `${path}\tversion ${id}`, text: content };
}
