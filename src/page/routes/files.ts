import { z } from "zod";
import type { MemoryAccess } from "../../core/access/policy.js";
import type { MemoryEntry } from "../../core/memory.js";
import type { Mount } from "../../core/mounts/mounts.js";
import type { CheckedAddress } from "../../core/values/address.js";
import { defaultLogPath, normalizePath, getPathPrefix, ROOT } from "../../core/values/paths.js";
import { hashSha256 } from "../../core/values/sha256.js";
import { compareCodeUnits } from "../../core/values/text.js";
import { MemoryTree } from "../../core/tree/memory-tree.js";
import { addressFields, addressIn, countField, versionId } from "../fields.js";
import { listMounts, openHistory, openTree } from "../page-memory.js";
import { PageRefusal } from "../refusal.js";
import { type RouteContext, route } from "../route.js";

/** A few screens of rows. */
const pageSize = 250;

/** A memory that is mounted in another memory. */
interface ShownMount {
  point: string;
  /** Null if the visitor may see the files, but not whose memory it is, and if nobody knows whose it is. */
  address: CheckedAddress | null;
  /** Whether the page also shows this memory alone, because it is a memory in MongoDB. */
  isHere: boolean;
  access: MemoryAccess;
  description: string | null;
}

interface ShownEntry extends MemoryEntry {
  mount?: ShownMount;
  /** The rights of agents. Only if they differ from those of the directory. */
  access?: MemoryAccess;
}

interface Directory {
  entries: ShownEntry[];
  /** The start of the next entries, or null at the end. */
  next: number | null;
  /** Number of entries in the directory. */
  total: number;
  /** The rights on paths, in words. Empty if everything is allowed, and for directories other than the root. */
  rights: string;
}

const fields = {
  ...addressFields,
  path: z.string(),
  /** A version. The tree is shown as it was right after this version. */
  at: versionId.optional(),
};

const treeSchema = z.strictObject({ ...fields, offset: countField(10_000_000) });

const tree = route(
  "GET",
  "tree",
  treeSchema,
  async ({ path: rawPath, offset, at, ...address }, context): Promise<Directory> => {
    const path = normalizePath(rawPath, { emptyIsRoot: true });
    const end = offset + pageSize;
    const takePage = (all: readonly MemoryEntry[]) => ({
      entries: all.slice(offset, end),
      next: end < all.length ? end : null,
      total: all.length,
    });
    if (at !== undefined) {
      const former = (await readFormerTree(context, address, at)).list(path);
      return { ...takePage(former.toSorted((a, b) => compareCodeUnits(a.name, b.name))), rights: "" };
    }
    const memory = openTree(context, address);
    const mounts = listMounts(memory);
    const page = takePage(await memory.list(path));
    const accessAt = (each: string): MemoryAccess => memory.rights?.accessAt?.(each) ?? "write";
    const ownAccess = accessAt(path);
    const entries = page.entries.map((entry): ShownEntry => {
      const entryPath = getPathPrefix(path) + entry.name;
      const mount = mounts.find(({ point }) => point === entryPath);
      if (mount !== undefined) return { ...entry, mount: describeMount(mount, context) };
      const access = accessAt(entryPath);
      return access === ownAccess ? entry : { ...entry, access };
    });
    return { ...page, entries, rights: path === ROOT ? (memory.rights?.words() ?? "") : "" };
  },
);

const file = route("GET", "file", z.strictObject(fields), async ({ path: rawPath, at, ...address }, context) => {
  const path = normalizePath(rawPath);
  // The node may be unknown here, or get its log from the agent that uses it in another process.
  const logPath = context.memories.nodeOf?.(addressIn(address))?.log?.path ?? defaultLogPath;
  const isInLog = path.startsWith(getPathPrefix(logPath));
  if (at !== undefined)
    return { ...(await readFormerTree(context, address, at)).file(path), digest: "", mount: null, isInLog };
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
    isInLog,
  };
});

async function readFormerTree(
  context: RouteContext,
  address: Parameters<typeof openHistory>[1],
  version: string,
): Promise<MemoryTree> {
  return new MemoryTree(await openHistory(context, address).at(version));
}

function describeMount(
  { point, memory, access = "write", description, missingOwner }: Mount,
  { visitor: { owner } }: RouteContext,
): ShownMount {
  const { address } = memory;
  // Without its thread or user, a placeholder has the address of the memory around it.
  const isKnown = missingOwner === undefined;
  const isOwn = owner === undefined || (address.scope === "perUser" && address.userId === owner.userId);
  // Only memories in MongoDB have proposals.
  const isHere = isOwn && memory.proposals !== null;
  return { point, address: isOwn && isKnown ? address : null, isHere, access, description: description ?? null };
}

export const fileRoutes = [tree, file] as const;
