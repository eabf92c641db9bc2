import { z } from "zod";
import type { MemoryAccess } from "../../core/access/policy.js";
import type { Memory, MemoryEntry } from "../../core/memory.js";
import type { Mount } from "../../core/mounts/mounts.js";
import type { CheckedAddress } from "../../core/values/address.js";
import { normalizePath, getPathPrefix, ROOT } from "../../core/values/paths.js";
import { hashSha256 } from "../../core/values/sha256.js";
import { compareCodeUnits } from "../../core/values/text.js";
import { MemoryTree } from "../../core/tree/memory-tree.js";
import { addressFields, countField, versionId } from "../fields.js";
import { listMounts, openHistory, openTree } from "../page-memory.js";
import { PageRefusal } from "../refusal.js";
import { type RouteContext, route } from "../route.js";
import { readPresentText } from "./present-text.js";

const maxEntries = 1000;

/** A memory that is mounted in another memory. */
interface ShownMount {
  point: string;
  /** Null if the visitor may see what is mounted, but not whose memory it is. */
  address: CheckedAddress | null;
  /** Whether the page also shows this memory alone, because it is a memory in MongoDB. */
  isHere: boolean;
  access: MemoryAccess;
  description: string | null;
}

interface ShownEntry extends MemoryEntry {
  mount?: ShownMount;
  /** What an agent may do. Only if it differs from that of the directory. */
  access?: MemoryAccess;
}

interface Directory {
  entries: ShownEntry[];
  /** Number of entries in the directory. */
  total: number;
  /** The rights on paths, in words. Empty if all is allowed everywhere, and for directories other than the root. */
  rights: string;
}

const fields = {
  ...addressFields,
  path: z.string(),
  /** A version. The tree is shown as it was right after this version. */
  at: versionId.optional(),
};

const treeSchema = z
  .object({ ...fields, offset: countField(0, 10_000_000), limit: countField(maxEntries, maxEntries) })
  .strict();

const tree = route(
  "GET",
  "tree",
  treeSchema,
  async ({ path: rawPath, offset, limit, at, ...address }, context): Promise<Directory> => {
    const path = normalizePath(rawPath, { emptyIsRoot: true });
    if (at !== undefined) {
      const former = (await readFormerTree(context, address, at)).list(path);
      const entries = former.toSorted((a, b) => compareCodeUnits(a.name, b.name));
      return { entries: entries.slice(offset, offset + limit), total: entries.length, rights: "" };
    }
    const memory = openTree(context, address);
    const mounts = listMounts(memory);
    const all = await memory.list(path);
    const accessAt = (each: string): MemoryAccess => memory.rights?.accessAt?.(each) ?? "write";
    const ownAccess = accessAt(path);
    const entries = all.slice(offset, offset + limit).map((entry): ShownEntry => {
      const entryPath = getPathPrefix(path) + entry.name;
      const mount = mounts.find(({ point }) => point === entryPath);
      if (mount !== undefined) return { ...entry, mount: describeMount(mount, context) };
      const access = accessAt(entryPath);
      return access === ownAccess ? entry : { ...entry, access };
    });
    return { entries, total: all.length, rights: path === ROOT ? (memory.rights?.words() ?? "") : "" };
  },
);

const file = route("GET", "file", z.object(fields).strict(), async ({ path: rawPath, at, ...address }, context) => {
  const path = normalizePath(rawPath);
  if (at !== undefined) return { ...(await readFormerTree(context, address, at)).file(path), digest: "", mount: null };
  const memory = openTree(context, address);
  // The file may change between these two calls. The client then requests it again.
  const [content, stat] = await Promise.all([memory.read(rawPath), memory.stat(rawPath)]);
  if (stat?.kind !== "file") throw new PageRefusal(404, "ENOENT", "file not found");
  const { sizeBytes, createdAt, updatedAt } = stat;
  const mount = listMounts(memory)
    .toSorted((a, b) => b.point.length - a.point.length)
    .find(({ point }) => path.startsWith(getPathPrefix(point)));
  return {
    path,
    content,
    digest: hashSha256(content),
    sizeBytes,
    createdAt,
    updatedAt,
    mount: mount === undefined ? null : describeMount(mount, context),
  };
});

const maxPreviewChars = 2000;

const firstFile = route("GET", "first-file", z.object(addressFields).strict(), async (address, context) => {
  const memory = openTree(context, address);
  const path = await findFirstFile(memory);
  const content = path === null ? null : await readPresentText(memory, path);
  if (path === null || content === null) return { path: null, text: "", isWhole: true };
  return {
    path,
    text: content.slice(0, maxPreviewChars).toWellFormed(),
    isWhole: content.length <= maxPreviewChars,
  };
});

/** Finds the first file of the memory, or of its first directory. */
async function findFirstFile(memory: Memory): Promise<string | null> {
  const mounts = new Set(listMounts(memory).map(({ point }) => point));
  const root = await memory.list(ROOT);
  const outer = root.find(({ kind }) => kind === "file");
  if (outer !== undefined) return `/${outer.name}`;
  const directory = root.find(({ kind, name }) => kind === "dir" && !mounts.has(`/${name}`));
  if (directory === undefined) return null;
  const inside = (await memory.list(`/${directory.name}`)).find(({ kind }) => kind === "file");
  return inside === undefined ? null : `/${directory.name}/${inside.name}`;
}

async function readFormerTree(
  context: RouteContext,
  address: Parameters<typeof openHistory>[1],
  version: string,
): Promise<MemoryTree> {
  return new MemoryTree(await openHistory(context, address).at(version));
}

function describeMount(
  { point, memory, access = "write", description }: Mount,
  { visitor: { owner } }: RouteContext,
): ShownMount {
  const { address } = memory;
  const isOwn = owner === undefined || (address.scope === "perUser" && address.userId === owner.userId);
  // Only memories in MongoDB have proposals.
  const isHere = isOwn && Boolean(memory.proposals);
  return { point, address: isOwn ? address : null, isHere, access, description: description ?? null };
}

export const fileRoutes = [tree, file, firstFile] as const;
