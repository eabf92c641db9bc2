import { z } from "zod";
import type { Memory, MemoryEntry } from "../../core/memory.js";
import { treeIn } from "../../core/mounts/mounted-memory.js";
import type { Mount } from "../../core/mounts/mounts.js";
import { normalizePath, prefixOf, ROOT } from "../../core/values/paths.js";
import { compareCodeUnits } from "../../core/values/text.js";
import { MemoryTree } from "../../core/tree/memory-tree.js";
import { PageRefusal } from "../answers.js";
import { addressFields, countField } from "../fields.js";
import { historyOf, readableMemory, treeOf } from "../page-memory.js";
import { type Route, route } from "../route.js";
import type { WireEntries, WireMount } from "../wire.js";

const maxEntries = 1000;

/** A version, for the tree as it was right after it. */
const at = z.string().min(1).max(64).optional();

const treeSchema = z
  .object({
    ...addressFields,
    path: z.string(),
    offset: countField(0, 10_000_000),
    limit: countField(maxEntries, maxEntries),
    at,
  })
  .strict();

const tree = route(
  "GET",
  "tree",
  treeSchema,
  async ({ path: asked, offset, limit, at: version, ...address }, context): Promise<WireEntries> => {
    const path = normalizePath(asked, { emptyIsRoot: true });
    if (version !== undefined) {
      const entries = (await treeAt(readableMemory(context, address), version))
        .list(path)
        .toSorted((a, b) => compareCodeUnits(a.name, b.name));
      return { entries: entries.slice(offset, offset + limit), total: entries.length, rights: "" };
    }
    const memory = treeOf(context, address);
    const entries = await memory.list(path);
    const page = withMounts(entries.slice(offset, offset + limit), memory, path);
    return { entries: page, total: entries.length, rights: path === ROOT ? (memory.rights?.words() ?? "") : "" };
  },
);

const fileSchema = z.object({ ...addressFields, path: z.string(), at }).strict();

const file = route("GET", "file", fileSchema, async ({ path: asked, at: version, ...address }, context) => {
  if (version !== undefined)
    return { ...(await treeAt(readableMemory(context, address), version)).file(normalizePath(asked)), mount: null };
  const memory = treeOf(context, address);
  // Two calls, between which the file may change; the client asks again when it does.
  const [content, stat] = await Promise.all([memory.read(asked), memory.stat(asked)]);
  if (stat?.kind !== "file") throw new PageRefusal(404, "ENOENT", "ENOENT: file not found");
  const path = normalizePath(asked);
  return {
    path,
    content,
    sizeBytes: stat.sizeBytes,
    createdAt: stat.createdAt,
    updatedAt: stat.updatedAt,
    mount: mountAbove(path, memory),
  };
});

async function treeAt(memory: Memory, version: string): Promise<MemoryTree> {
  return new MemoryTree(await historyOf(memory).at(version));
}

function withMounts(entries: readonly MemoryEntry[], memory: Memory, directory: string): WireEntries["entries"] {
  const mounts = mountsIn(memory);
  if (mounts.length === 0) return [...entries];
  return entries.map((entry) => {
    const mount = mounts.find(({ point }) => point === prefixOf(directory) + entry.name);
    return mount === undefined ? entry : { ...entry, mount: told(mount) };
  });
}

/** The mount whose memory holds the path; null for the memory itself. */
function mountAbove(path: string, memory: Memory): WireMount | null {
  const [mount] = mountsIn(memory)
    .filter(({ point }) => path.startsWith(prefixOf(point)))
    .toSorted((a, b) => b.point.length - a.point.length);
  return mount === undefined ? null : told(mount);
}

function mountsIn(memory: Memory): readonly Mount[] {
  return treeIn(memory)?.mounts.filter(({ point }) => point !== ROOT) ?? [];
}

function told({ point, memory, access = "write", description }: Mount): WireMount {
  // Only memories of MongoDB have proposals.
  return {
    point,
    address: memory.address,
    isHere: Boolean(memory.proposals),
    access,
    description: description ?? null,
  };
}

export const fileRoutes: readonly Route[] = [tree, file];
