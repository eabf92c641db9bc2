import { z } from "zod";
import type { CheckedAddress } from "../../core/values/address.js";
import type { Memory } from "../../core/memory.js";
import type { MountOutline } from "../../core/mounts/mounted-outlines.js";
import { ROOT } from "../../core/values/paths.js";
import { getConnectorForm } from "../../core/display/connector-form.js";
import { MemoryTree } from "../../core/tree/memory-tree.js";
import { connectorDefaults, getDefaultContent } from "../../prompt/connector-options.js";
import type { ShownMemories } from "../../prompt/render.js";
import {
  type Form,
  getOutlineOptions,
  joinParts,
  readAtRoot,
  readToShow,
  showMemories,
} from "../../prompt/shown-memory.js";
import { addressFields, addressIn, versionId } from "../fields.js";
import type { MemoryPageNode } from "../options.js";
import { openMemory, openTree, requireHistory } from "../page-memory.js";
import { type RouteContext, route } from "../route.js";

const schema = z.strictObject({ ...addressFields, at: versionId.optional() });

/**
 * Returns the message that the first connector of the node sends to a model, or the message of a connector with
 * defaults. With a version it is the message right after that version, without mounts.
 */
const message = route("GET", "message", schema, async ({ at, ...fields }, context) => {
  const address = addressIn(fields);
  const ownNode = context.memories.nodeOf?.(address);
  const connector = ownNode === undefined ? null : getConnectorForm(ownNode);
  const { maxChars, pinned, tokens } = connector ?? connectorDefaults;
  const content = connector?.content ?? getDefaultContent(ownNode);
  const root = connector?.root ?? ROOT;
  const logPath = ownNode?.log?.path ?? null;
  const form: Form = { content, maxChars, pinned, tokens, root, question: "", kept: null, logPath };
  const node = at === undefined ? ownNode : undefined;
  const memory = node === undefined ? openMemory(context, address) : openTree(context, address);
  const memories = at === undefined ? await readToShow(memory, form) : await readFormer(memory, form, at);
  const { scope } = address;
  // A memory that was empty at an earlier version is shown as empty. So is the memory of an owner, who sees no other one.
  const isAlone = at !== undefined || scope === "global" || context.visitor.owner !== undefined;
  const read = (): Promise<MountOutline> => readAtRoot(openShared(context, address, node), memory, form);
  const shared = isAlone ? null : { scope, isOwnerMissing: false, read };
  const { view, leftOut, outlines, ...parts } = await showMemories(memories, shared, form);
  const text = joinParts(parts);
  return {
    text,
    usedChars: text?.length ?? 0,
    content,
    maxChars,
    /** False if the page knows no connector of the node. The message then comes from a connector with defaults. */
    isOfConnector: connector !== null,
    /** The view that fitted. */
    view,
    entries: countEntries(outlines),
    leftOut,
    scope: outlines.find(({ mount }) => mount.point === ROOT)?.mount.memory.address.scope ?? scope,
  };
});

/** Opens the memory that a connector shows instead of one without files. */
function openShared(context: RouteContext, { nodeId }: CheckedAddress, node: MemoryPageNode | undefined): Memory {
  return node === undefined ? openMemory(context, { nodeId }) : node.globalMemory().with({ signal: context.signal });
}

async function readFormer(memory: Memory, form: Form, version: string): Promise<ShownMemories> {
  const outline = new MemoryTree(await requireHistory(memory).at(version)).outline(getOutlineOptions(form));
  return { isTree: false, outlines: [{ mount: { point: ROOT, memory }, outline }] };
}

function countEntries(outlines: readonly MountOutline[]): number {
  return outlines.reduce((sum, { outline: { files, directories } }) => sum + files.length + directories.length, 0);
}

export const messageRoutes = [message] as const;
