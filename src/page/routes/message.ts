import { z } from "zod";
import type { CheckedAddress } from "../../core/values/address.js";
import type { Memory } from "../../core/memory.js";
import type { MountOutline } from "../../core/mounts/mounted-outlines.js";
import { ROOT } from "../../core/values/paths.js";
import { getConnectorForm } from "../../core/display/connector-form.js";
import { explainRead, type ListMemories } from "../../prompt/explain.js";
import { createForm, findLogPath, joinParts, readAtRoot, readToShow, showMemories } from "../../prompt/shown-memory.js";
import { addressFields, addressIn } from "../fields.js";
import type { MemoryPageNode } from "../options.js";
import { openMemory, openTree } from "../page-memory.js";
import { type RouteContext, route } from "../route.js";

const schema = z.strictObject({ ...addressFields, question: z.string().max(10_000).optional() });

/**
 * Returns the message that the first connector of the node sends to a model, or the message of a connector with
 * defaults. For a question, also explains it.
 */
const message = route("GET", "message", schema, async (fields, context) => {
  const address = addressIn(fields);
  const node = context.memories.nodeOf?.(address);
  const connector = node === undefined ? null : getConnectorForm(node);
  const { question = "" } = fields;
  const memory = node === undefined ? openMemory(context, address) : openTree(context, address);
  const logPath = node === undefined ? await findLogPath(memory) : (node.log?.path ?? null);
  const form = createForm(connector, { question, logPath });
  const memories = await readToShow(memory, form);
  const { scope } = address;
  // The memory of an owner, who sees no other one, is shown as empty.
  const isAlone = scope === "global" || context.visitor.owner !== undefined;
  const read = (): Promise<MountOutline> => readAtRoot(openShared(context, address, node), memory, form);
  const shared = isAlone ? null : { scope, isOwnerMissing: false, read };
  const prompt = await showMemories(memories, shared, form);
  const { leftOut, outlines } = prompt;
  const text = joinParts(prompt);
  const list: ListMemories = (filter) => context.memories.listMemories(filter);
  return {
    text,
    usedChars: text?.length ?? 0,
    maxChars: form.maxChars,
    /** Null without a question. */
    explanation: question === "" ? null : await explainRead(prompt, list),
    /** False if the page knows no connector of the node. The message then comes from a connector with defaults. */
    isOfConnector: connector !== null,
    entries: countEntries(outlines),
    leftOut,
    scope: outlines.find(({ mount }) => mount.point === ROOT)?.mount.memory.address.scope ?? scope,
  };
});

/** Opens the memory that a connector shows instead of one without files. */
function openShared(context: RouteContext, { nodeId }: CheckedAddress, node: MemoryPageNode | undefined): Memory {
  return node === undefined ? openMemory(context, { nodeId }) : node.globalMemory().with({ signal: context.signal });
}

function countEntries(outlines: readonly MountOutline[]): number {
  return outlines.reduce((sum, { outline: { files, directories } }) => sum + files.length + directories.length, 0);
}

export const messageRoutes = [message] as const;
