import { z } from "zod";
import type { CheckedAddress } from "../../core/values/address.js";
import type { Memory, MemoryOutline, OutlineOptions } from "../../core/memory.js";
import { type MountedMemory, getMountTree } from "../../core/mounts/mounted-memory.js";
import { ROOT } from "../../core/values/paths.js";
import { getConnectorForm } from "../../core/display/connector-form.js";
import { getShownRoot } from "../../core/display/shown-root.js";
import { MemoryTree } from "../../core/tree/memory-tree.js";
import { connectorDefaults } from "../../prompt/connector-options.js";
import { chooseOutline, type Form, hasFiles, outlineToShow, showMemory, showTree } from "../../prompt/shown-memory.js";
import { addressFields, addressIn, versionId } from "../fields.js";
import type { MemoryPageNode } from "../options.js";
import { openMemory, openTree, requireHistory } from "../page-memory.js";
import { type RouteContext, route } from "../route.js";

const schema = z.object({ ...addressFields, at: versionId.optional() }).strict();

/**
 * Returns the message that the first connector of the node sends to a model, or that of a connector with defaults. It
 * is that of now, or right after a version, which omits mounts.
 */
const message = route("GET", "message", schema, async ({ at, ...fields }, context) => {
  const address = addressIn(fields);
  const ownNode = context.memories.nodeOf?.(address);
  const connector = ownNode === undefined ? null : getConnectorForm(ownNode);
  const { content, maxChars } = connector ?? connectorDefaults;
  const root = connector?.root ?? (ownNode === undefined ? ROOT : getShownRoot(ownNode));
  const form = { content, maxChars, root };
  const node = at === undefined ? ownNode : undefined;
  const tree = node && getMountTree(openTree(context, address));
  const { text, outlines, scope } = await (node && tree
    ? showNode(node, tree, form, context)
    : showAlone(context, address, form, at));
  const entries = countEntries(outlines);
  return {
    text,
    usedChars: text?.length ?? 0,
    content,
    maxChars,
    /** False if the page knows no connector of the node. The message is then that of the defaults. */
    isOfConnector: connector !== null,
    /** The view that fitted. */
    view: findView(text),
    entries,
    leftOut: text === null ? entries : countLeftOut(text),
    scope,
  };
});

interface Shown {
  text: string | null;
  outlines: readonly MemoryOutline[];
  /** The scope of the memory at the root. */
  scope: CheckedAddress["scope"];
}

async function showNode(
  node: MemoryPageNode,
  tree: MountedMemory,
  form: Form,
  { signal, visitor }: RouteContext,
): Promise<Shown> {
  const options = outlineToShow(form);
  let { scope } = node;
  let shown = await tree.outlines(options);
  const readShared = async (): Promise<(typeof shown)[number]> => {
    const own = shown.find(({ mount }) => mount.point === ROOT);
    if (visitor.owner !== undefined && own !== undefined) return own;
    const shared = await tree.outlineAtRoot(node.globalMemory().with({ signal }), options);
    if (hasFiles(shared.outline)) {
      scope = "global";
      shown = shown.map((each) => (each.mount.point === ROOT ? shared : each));
    }
    return shared;
  };
  const text = await showTree(shown, { scope: node.scope, isOwn: true, readShared }, form);
  return { text, outlines: shown.map(({ outline }) => outline), scope };
}

/**
 * Shows the global memory instead of one without files, like a connector. A memory that was empty at an earlier version
 * is shown as empty, and so is that of an owner, who sees no other memory.
 */
async function showAlone(
  context: RouteContext,
  address: CheckedAddress,
  form: Form,
  at: string | undefined,
): Promise<Shown> {
  const options = outlineToShow(form);
  const { nodeId, scope } = address;
  const memory = openMemory(context, address);
  const own = at === undefined ? await memory.outline(options) : await readFormerOutline(memory, at, options);
  if (at !== undefined || scope === "global" || context.visitor.owner !== undefined)
    return { text: await showMemory(own, { ...form, scope, insteadOf: null }), outlines: [own], scope };
  const outline = await chooseOutline(own, () => openMemory(context, { nodeId }).outline(options));
  const insteadOf = outline === own ? null : scope;
  const shownScope = outline === own ? scope : "global";
  return {
    text: await showMemory(outline, { ...form, scope: shownScope, insteadOf }),
    outlines: [outline],
    scope: shownScope,
  };
}

async function readFormerOutline(
  memory: Memory,
  version: string,
  { maxContentBytes = 0, leadChars = 0 }: OutlineOptions,
): Promise<MemoryOutline> {
  return new MemoryTree(await requireHistory(memory).at(version)).outline({ maxContentBytes, leadChars });
}

function countEntries(outlines: readonly MemoryOutline[]): number {
  return outlines.reduce((sum, { files, directories }) => sum + files.length + directories.length, 0);
}

/**
 * Reads the view that the message itself states. No content can imitate this line, because content lines begin with
 * `/`, `- ` or `| `.
 */
function findView(text: string | null): string | null {
  return /^<memory [^>]*view="(\w+)"/.exec(text ?? "")?.[1] ?? null;
}

function countLeftOut(text: string): number {
  const notes = [...text.matchAll(/^\((\d+)(?: of \d+)? (?:entry|entries) left out/gm)];
  return notes.reduce((sum, [, count]) => sum + Number(count), 0);
}

export const messageRoutes = [message] as const;
