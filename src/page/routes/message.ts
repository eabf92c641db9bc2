import { z } from "zod";
import type { CheckedAddress } from "../../core/values/address.js";
import type { Memory, MemoryOutline } from "../../core/memory.js";
import { type MountedMemory, treeIn } from "../../core/mounts/mounted-memory.js";
import type { MountOutline } from "../../core/mounts/mounted-outlines.js";
import { ROOT } from "../../core/values/paths.js";
import { MemoryTree } from "../../core/tree/memory-tree.js";
import { connectorDefaults, type MemoryContent } from "../../prompt/connector-options.js";
import { isEmpty, outlineToShow, showMemory, showTree } from "../../prompt/shown-memory.js";
import { addressFields, addressIn, countField } from "../fields.js";
import type { MemoryPageNode } from "../options.js";
import { historyOf, readableMemory, treeOf } from "../page-memory.js";
import { type Route, type RouteContext, route } from "../route.js";

const schema = z
  .object({
    ...addressFields,
    content: z.enum(["tree", "index", "full"]).optional(),
    maxChars: countField(connectorDefaults.maxChars, 200_000),
    at: z.string().min(1).max(64).optional(),
  })
  .strict();

/**
 * What a connector shows a model of a memory, now or as it was right after a version: then without what is mounted in
 * it.
 */
const message = route(
  "GET",
  "message",
  schema,
  async ({ content = connectorDefaults.content, maxChars: given, at, ...fields }, context) => {
    const address = addressIn(fields);
    const form = { content, maxChars: Math.max(1, given) };
    const node = at === undefined ? context.memories.nodeOf?.(address) : undefined;
    const tree = node === undefined ? null : treeIn(treeOf(context, address));
    const { text, entries, isMore, scope } = await (node === undefined || tree === null
      ? shownMemory(context, address, form, at)
      : shownTree(node, tree, form, context.signal));
    const leftOut = text === null ? { leftOut: entries, isMoreLeftOut: isMore } : leftOutIn(text);
    return { text, usedChars: text?.length ?? 0, ...form, view: viewIn(text), entries, isMore, ...leftOut, scope };
  },
);

type Form = { content: MemoryContent; maxChars: number };

interface Shown {
  text: string | null;
  entries: number;
  /** Whether there are more than those, how many more is not known. */
  isMore: boolean;
  /** Whose memory stands at the root. */
  scope: CheckedAddress["scope"];
}

async function shownTree(node: MemoryPageNode, tree: MountedMemory, form: Form, signal: AbortSignal): Promise<Shown> {
  const wanted = outlineToShow(form);
  let { scope } = node;
  let shown = await tree.outlines(wanted);
  const readShared = async (): Promise<MountOutline> => {
    const found = await tree.outlineAtRoot(node.globalMemory().with({ signal }), wanted);
    if (!isEmpty(found.outline)) {
      scope = "global";
      shown = shown.map((each) => (each.mount.point === ROOT ? found : each));
    }
    return found;
  };
  const text = await showTree(shown, { scope: node.scope, isOwn: true, readShared }, form);
  return { text, ...entriesOf(shown.map(({ outline }) => outline)), scope };
}

/** The global memory stands in for one that is empty, as in a connector; not for one that was empty once. */
async function shownMemory(
  context: RouteContext,
  address: CheckedAddress,
  form: Form,
  at: string | undefined,
): Promise<Shown> {
  const { outline, scope } = await shownOutline(context, address, form, at);
  const text = await showMemory(outline, {
    ...form,
    scope,
    insteadOf: scope === address.scope || address.scope === "global" ? null : address.scope,
  });
  return { text, ...entriesOf([outline]), scope };
}

async function shownOutline(
  context: RouteContext,
  address: CheckedAddress,
  form: Form,
  at: string | undefined,
): Promise<{ outline: MemoryOutline; scope: CheckedAddress["scope"] }> {
  const wanted = outlineToShow(form);
  const memory = readableMemory(context, address);
  if (at !== undefined) return { outline: await outlineAt(memory, at, wanted), scope: address.scope };
  const own = await memory.outline(wanted);
  if (address.scope === "global" || !isEmpty(own)) return { outline: own, scope: address.scope };
  return { outline: await readableMemory(context, { nodeId: address.nodeId }).outline(wanted), scope: "global" };
}

function entriesOf(outlines: readonly MemoryOutline[]): Pick<Shown, "entries" | "isMore"> {
  return {
    entries: outlines.reduce(
      (sum, { files, directories, moreThan }) => sum + (moreThan ?? files.length + directories.length),
      0,
    ),
    isMore: outlines.some(({ moreThan, uncounted }) => moreThan !== undefined || uncounted !== undefined),
  };
}

async function outlineAt(
  memory: Memory,
  version: string,
  { maxContentBytes = 0, leadChars = 0 }: ReturnType<typeof outlineToShow>,
): Promise<MemoryOutline> {
  return new MemoryTree(await historyOf(memory).at(version)).outline({ maxContentBytes, leadChars });
}

/** The message says it of itself, in lines that no content can look like: those begin with `/` or `| `. */
function viewIn(text: string | null): string | null {
  return /^<memory [^>]*view="(\w+)"/.exec(text ?? "")?.[1] ?? null;
}

function leftOutIn(text: string): { leftOut: number; isMoreLeftOut: boolean } {
  const notes = [...text.matchAll(/^\((more than )?(\d+)(?: of \d+)? (?:entry|entries) left out/gm)];
  return {
    leftOut: notes.reduce((sum, [, , count]) => sum + Number(count), 0),
    isMoreLeftOut: notes.some(([, more]) => more !== undefined),
  };
}

export const messageRoutes: readonly Route[] = [message];
