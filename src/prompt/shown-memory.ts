import type { Memory, MemoryOutline, OutlineOptions } from "../core/memory.js";
import { getMountTree } from "../core/mounts/mounted-memory.js";
import type { MountOutline } from "../core/mounts/mounted-outlines.js";
import type { ConnectorForm } from "../core/display/connector-form.js";
import { defaultLogPath, ROOT } from "../core/values/paths.js";
import { runInTimeSlices } from "../core/runtime/time-slices.js";
import type { RecallOptions } from "../core/search/recall.js";
import { takeStart } from "../core/values/text.js";
import { connectorDefaults, getDefaultContent } from "./connector-options.js";
import { createTurn } from "./user-turn.js";
import { leadChars } from "./front-matter.js";
import { isEmpty, type ShownMemories } from "./entries.js";
import type { OwnedScope } from "./introduction.js";
import { type RenderedMemories, renderMemories, type RenderOptions } from "./render.js";

/** The options of a connector that decide the form of its message. */
export interface Form extends Omit<RenderOptions, "insteadOf" | "isOwnerMissing"> {
  /** The text that the passages of `auto` are to fit. "" without one. */
  question: string;
}

/**
 * Creates the form of a connector, or of one with the defaults, for a question without a conversation.
 * @param connector null for the defaults
 */
export function createForm(connector: ConnectorForm | null, asked: { question: string; logPath: string | null }): Form {
  const { maxChars, pinned, tokens } = connector ?? connectorDefaults;
  const content = connector?.content ?? getDefaultContent({ log: asked.logPath });
  const { question } = createTurn(asked.question);
  return {
    content,
    maxChars,
    pinned,
    tokens,
    root: connector?.root ?? ROOT,
    question,
    kept: null,
    logPath: asked.logPath,
  };
}

/** Returns the default directory of a log if it is there, for programs that do not know the node of a memory. */
export async function findLogPath(memory: Memory): Promise<string | null> {
  return (await memory.stat(defaultLogPath))?.kind === "dir" ? defaultLogPath : null;
}

/** A memory for a model. Both parts together keep the limits. */
export type MemoryParts = Pick<RenderedMemories, "text" | "turn">;

export function joinParts({ text, turn }: MemoryParts): string | null {
  return text === null || turn === null ? (text ?? turn) : `${text}\n\n${turn}`;
}

/** Reads a memory, or all memories of a tree, to show them. */
export async function readToShow(memory: Memory, form: Form): Promise<ShownMemories> {
  const tree = getMountTree(memory);
  const outlines =
    tree === null ? [await readAtRoot(memory, memory, form)] : await tree.outlines(getOutlineOptions(form));
  return { isTree: tree !== null, outlines };
}

/** Reads a memory as if it were at the root of another one. */
export async function readAtRoot(memory: Memory, other: Memory, form: Form): Promise<MountOutline> {
  const options = getOutlineOptions(form);
  const tree = getMountTree(other);
  if (tree !== null) return tree.outlineAtRoot(memory, options);
  return { mount: { point: ROOT, memory }, outline: await memory.outline(options) };
}

/** Returns the options for reading a memory that is to be shown. */
export function getOutlineOptions({
  content,
  maxChars,
  question,
}: Form): Required<OutlineOptions> & Partial<RecallOptions> {
  if (content === "auto")
    return {
      maxContentBytes: Number.MAX_SAFE_INTEGER,
      leadChars: 0,
      recall: { query: takeStart(question, maxQueryChars), limit: Math.ceil(maxChars / minPassageChars) },
    };
  // One UTF-16 unit takes at most three bytes of UTF-8, so contents with more bytes cannot fit.
  return {
    maxContentBytes: content === "full" ? maxChars * 3 : 0,
    leadChars: content === "index" ? leadChars : 0,
  };
}

/** The longest question that is searched for. */
const maxQueryChars = 10_000;
/** Few passages are shorter. */
const minPassageChars = 20;

/** The memory that a thread or a user shares with all others. */
export interface SharedMemory {
  /** The scope of the memory that it may replace. */
  scope: OwnedScope;
  /** Whether the run names no thread or user. Then the shared memory is at the root already. */
  isOwnerMissing: boolean;
  /** Reads the shared memory as if it were at the root. Called if the own memory has no files. */
  read: () => Promise<MountOutline>;
}

/** A prompt, with what it was made of. */
export interface ShownPrompt extends RenderedMemories {
  form: Form;
  outlines: readonly MountOutline[];
  /** The scope whose thread or user the run does not name. */
  missingOwner: OwnedScope | null;
}

/**
 * Renders memories for a model. A memory of a thread or user without files is replaced by the shared one, if that has
 * files.
 * @param shared null if nothing replaces the memory at the root
 */
export async function showMemories(
  { isTree, outlines }: ShownMemories,
  shared: SharedMemory | null,
  form: Form,
): Promise<ShownPrompt> {
  const own = outlines.find(({ mount }) => mount.point === ROOT);
  const replacement = shared && own && (await findReplacement(own, shared));
  const shown = replacement ? outlines.map((each) => (each === own ? replacement : each)) : outlines;
  const options: RenderOptions = {
    ...form,
    insteadOf: replacement ? (shared?.scope ?? null) : null,
    isOwnerMissing: shared?.isOwnerMissing ?? false,
  };
  const rendered = await runInTimeSlices(renderMemories({ isTree, outlines: shown }, options), null);
  return { ...rendered, form, outlines: shown, missingOwner: shared?.isOwnerMissing === true ? shared.scope : null };
}

async function findReplacement(
  own: MountOutline,
  { isOwnerMissing, read }: SharedMemory,
): Promise<MountOutline | null> {
  if (isOwnerMissing) return isEmpty(own.outline) ? null : own;
  if (hasFiles(own.outline)) return null;
  const shared = await read();
  return hasFiles(shared.outline) ? shared : null;
}

/** Whether a memory has notes. */
function hasFiles({ files }: MemoryOutline): boolean {
  return files.length > 0;
}
