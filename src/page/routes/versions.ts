import { z } from "zod";
import type { MemoryHistory, MemoryVersion, VersionFilter } from "../../core/history/history.js";
import { MemoryError } from "../../core/values/errors.js";
import { unifiedDiff } from "../../core/history/unified-diff.js";
import { addressFields, countField, pageOf } from "../fields.js";
import { changeableMemory, historyOf, readableMemory } from "../page-memory.js";
import { type Route, route } from "../route.js";

const pageSize = 100;

/** Each page is read from the newest. */
const maxOffset = 10_000;

const id = z.string().min(1).max(64);
const by = z.string().min(1).max(512).optional();

const listSchema = z
  .object({
    ...addressFields,
    path: z.string().optional(),
    runId: z.string().min(1).max(512).optional(),
    offset: countField(0, maxOffset),
  })
  .strict();

const list = route("GET", "versions", listSchema, async ({ path, runId, offset, ...address }, context) => {
  const { history } = readableMemory(context, address);
  if (history === null) return { isKept: false, versions: [], next: null };
  const filter: VersionFilter = {
    limit: offset + pageSize + 1,
    ...(path !== undefined && { path }),
    ...(runId !== undefined && { actor: { runId } }),
  };
  const { page, more } = await pageOf(history.list(filter), offset, pageSize);
  return { isKept: true, versions: page, next: more && offset < maxOffset ? offset + pageSize : null };
});

const change = route(
  "GET",
  "change",
  z.object({ ...addressFields, id }).strict(),
  async ({ id: version, ...address }, context) => {
    const { content, ...facts } = await historyOf(readableMemory(context, address)).read(version);
    if (facts.redactedAt !== undefined) return { version: facts, diff: null };
    const before = await textBefore(historyOf(readableMemory(context, address)), facts);
    if (before === undefined) return { version: facts, diff: null };
    return { version: facts, diff: await diffOf(facts.path, before, content) };
  },
);

const compareSchema = z.object({ ...addressFields, from: id, to: id.optional() }).strict();

const compare = route("GET", "diff", compareSchema, async ({ from, to, ...address }, context) => ({
  diff: await historyOf(readableMemory(context, address)).diff(from, to),
}));

const blame = route(
  "GET",
  "blame",
  z.object({ ...addressFields, path: z.string() }).strict(),
  async ({ path, ...address }, context) => {
    const lines = await historyOf(readableMemory(context, address)).blame(path);
    const versions: MemoryVersion[] = [];
    const places = new Map<string, number>();
    const runs: { version: number; lines: string[] }[] = [];
    for (const { text, version } of lines) {
      if (version !== null && !places.has(version.id)) places.set(version.id, versions.push(version) - 1);
      const place = version === null ? -1 : (places.get(version.id) ?? -1);
      const last = runs.at(-1);
      if (last?.version === place) last.lines.push(text);
      else runs.push({ version: place, lines: [text] });
    }
    return { runs, versions };
  },
);

const targets = z.union([
  z.object({ path: z.string(), to: id }).strict(),
  z.object({ runId: id.max(512) }).strict(),
  z.object({ toolCallId: z.string().min(1).max(512) }).strict(),
]);
const revertSchema = z
  .object({ address: z.object(addressFields).strict(), what: targets, force: z.boolean().optional(), by })
  .strict();

const revert = route("POST", "revert", revertSchema, async ({ address, what, force = false, by: name }, context) => ({
  versions: await historyOf(changeableMemory(context, address, name)).revert(what, { force }),
}));

const maxUndone = 200;

/** Of a version, or of a run: what a revert would do. */
const previewSchema = z
  .object({
    ...addressFields,
    to: id.optional(),
    path: z.string().optional(),
    runId: z.string().min(1).max(512).optional(),
  })
  .strict();

const previewRevert = route(
  "GET",
  "revert-preview",
  previewSchema,
  async ({ to, path, runId, ...address }, context) => {
    const memory = readableMemory(context, address);
    const history = historyOf(memory);
    if (runId !== undefined)
      return {
        diff: null,
        versions: (await pageOf(history.list({ actor: { runId }, limit: maxUndone }), 0, maxUndone)).page,
      };
    const { content, path: place } = await history.read(to ?? "");
    const [present] = await memory.readFiles([path ?? place]);
    return { diff: await diffOf(path ?? place, present ?? null, content), versions: [] };
  },
);

const maxSearched = 1000;

const previewRedact = route(
  "GET",
  "redact-preview",
  z.object({ ...addressFields, id }).strict(),
  async ({ id: version, ...address }, context) => {
    const history = historyOf(readableMemory(context, address));
    const { content: _, ...found } = await history.read(version);
    if (found.sha256 === null) return { versions: [found] };
    const { page } = await pageOf(history.list({ limit: maxSearched }), 0, maxSearched);
    return { versions: [found, ...page.filter((other) => other.sha256 === found.sha256 && other.id !== version)] };
  },
);

const redactSchema = z
  .object({ address: z.object(addressFields).strict(), ids: z.array(id).min(1).max(1000), by })
  .strict();

const redact = route("POST", "redact", redactSchema, async ({ address, ids, by: name }, context) => ({
  redacted: await historyOf(changeableMemory(context, address, name)).redact(ids),
}));

/** The text that a version changed; null where there was no file, undefined where it is not known any more. */
async function textBefore(
  history: MemoryHistory,
  { id: version, operation, at, from, path }: MemoryVersion,
): Promise<string | null | undefined> {
  if (operation === "created") return null;
  let isPassed = false;
  for await (const other of history.list({ before: new Date(at.getTime() + 1), limit: maxSearched })) {
    if (isPassed) return textAt(history, other.id, from ?? path);
    isPassed = other.id === version;
  }
  return undefined;
}

async function textAt(history: MemoryHistory, version: string, path: string): Promise<string | undefined> {
  try {
    return (await history.at(version)).files.find((file) => file.path === path)?.content;
  } catch (error) {
    if (MemoryError.isInstance(error) && error.code === "ENOENT") return undefined;
    throw error;
  }
}

function diffOf(path: string, before: string | null, after: string | null): Promise<string> {
  const older = { name: before === null ? "/dev/null" : path, text: before ?? "" };
  return unifiedDiff(older, { name: after === null ? "/dev/null" : path, text: after ?? "" });
}

export const versionRoutes: readonly Route[] = [
  list,
  change,
  compare,
  blame,
  previewRevert,
  revert,
  previewRedact,
  redact,
];
