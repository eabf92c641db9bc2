import { z } from "zod";
import { textToRedact } from "../../core/backend-history.js";
import type { BlamedLine, MemoryVersion } from "../../core/history/history.js";
import { runInTimeSlices, type Steps } from "../../core/runtime/time-slices.js";
import { catchRefusal } from "../../core/values/errors.js";
import { normalizePath } from "../../core/values/paths.js";
import { addressFields, changeFields, outerId, versionId } from "../fields.js";
import { compareTexts } from "../hunks.js";
import { openHistory, openMemory, openToChange, requireHistory } from "../page-memory.js";
import { PageRefusal } from "../refusal.js";
import { route } from "../route.js";

const pageSize = 100;

const listSchema = z.strictObject({
  ...addressFields,
  path: z.string().optional(),
  runId: outerId.optional(),
  /** The last version of the previous page. */
  olderThan: versionId.optional(),
});

interface VersionPage {
  /** False if the memory keeps no history. */
  isKept: boolean;
  versions: MemoryVersion[];
  /** The last of these versions, after which the next page begins. Null at the end. */
  next: string | null;
}

const list = route("GET", "versions", listSchema, async (input, context): Promise<VersionPage> => {
  const { path, runId, olderThan, ...address } = input;
  const memory = openMemory(context, address);
  if (memory.history === null) return { isKept: false, versions: [], next: null };
  const filter = {
    ...(path !== undefined && { path: normalizePath(path, { emptyIsRoot: true }) }),
    ...(runId !== undefined && { actor: { runId } }),
  };
  const found = await requireHistory(memory).page(filter, pageSize + 1, olderThan ?? null);
  const versions = found.slice(0, pageSize);
  return { isKept: true, versions, next: found.length > pageSize ? (versions.at(-1)?.id ?? null) : null };
});

const versionSchema = z.strictObject({ ...addressFields, id: versionId });

const change = route("GET", "change", versionSchema, async ({ id, ...address }, context) => {
  const { content, before, ...version } = await openHistory(context, address).readChange(id);
  const isKnown = before !== undefined && (content !== null || version.operation === "deleted");
  return { version, hunks: isKnown ? await compareTexts(before, content, context.signal) : null };
});

const blameSchema = z.strictObject({ ...addressFields, path: z.string() });

const blame = route("GET", "blame", blameSchema, async ({ path, ...address }, context) => {
  const lines = await openHistory(context, address).blame(path);
  return { runs: await runInTimeSlices(joinLines(lines), context.signal) };
});

interface BlamedRun {
  version: MemoryVersion | null;
  isRedacted: boolean;
  lines: string[];
}

/** Work yields after this many lines, which take about a millisecond. */
const linesPerYield = 5000;

/** Joins the lines that one version wrote, one after another. */
function* joinLines(lines: readonly BlamedLine[]): Steps<BlamedRun[]> {
  const runs: BlamedRun[] = [];
  for (const [index, { text, version, redacted: isRedacted = false }] of lines.entries()) {
    if (index % linesPerYield === 0) yield;
    const last = runs.at(-1);
    if (last !== undefined && last.version?.id === version?.id && last.isRedacted === isRedacted) last.lines.push(text);
    else runs.push({ version, isRedacted, lines: [text] });
  }
  return runs;
}

const targetSchema = z.union([z.strictObject({ path: z.string(), to: versionId }), z.strictObject({ runId: outerId })]);

const revertSchema = z.strictObject({ ...changeFields, what: targetSchema, force: z.boolean().optional() });

const revert = route("POST", "revert", revertSchema, async ({ address, what, force = false, by }, context) => ({
  versions: await requireHistory(openToChange(context, address, by)).revert(what, { force }),
}));

const maxUndone = 200;

/** Either a file and a version, or a run. */
const previewSchema = z.strictObject({
  ...addressFields,
  to: versionId.optional(),
  path: z.string().optional(),
  runId: outerId.optional(),
});

const previewRevert = route("GET", "revert-preview", previewSchema, async ({ to, path, runId, ...fields }, context) => {
  const memory = openMemory(context, fields);
  const history = requireHistory(memory);
  if (runId !== undefined) return { hunks: null, versions: await history.page({ actor: { runId } }, maxUndone, null) };
  if (to === undefined || path === undefined)
    throw new PageRefusal(400, "EINVAL", "pass a runId, or the path of a file and a version as `to`");
  const [{ content }, present] = await Promise.all([
    history.read(to),
    catchRefusal(memory.read(path), "ENOENT", "EISDIR"),
  ]);
  return { hunks: await compareTexts(present, content, context.signal), versions: [] };
});

const maxShownVersions = 100;

const textSchema = z.strictObject({ address: z.strictObject(addressFields), text: textToRedact });

/** A POST, because servers log the address of a request, and the secret must not be in the log. */
const findText = route("POST", "find-text", textSchema, async ({ address, text }, context) => {
  const history = openHistory(context, address);
  const { versions, proposals, files } = await history.findText(text);
  const sources = versions.map(({ id }) => `version:${id}`);
  return {
    versions: versions.slice(0, maxShownVersions),
    versionCount: versions.length,
    proposals: proposals.length,
    files,
    /** The newest versions that rest on these. They stay. */
    dependents: await history.page({ sources }, maxShownVersions, null),
  };
});

const redactSchema = z.strictObject({ ...changeFields, text: textToRedact, cut: z.boolean().default(false) });

const redact = route("POST", "redact", redactSchema, async ({ address, by, text, cut }, context) => ({
  redacted: await requireHistory(openToChange(context, address, by)).redact({ text, cut }),
}));

export const versionRoutes = [list, change, blame, previewRevert, revert, findText, redact] as const;
