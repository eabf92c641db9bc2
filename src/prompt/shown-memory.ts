import type { MemoryScope } from "../core/values/address.js";
import type { MemoryOutline, OutlineFile, OutlineOptions } from "../core/memory.js";
import type { MountOutline } from "../core/mounts/mounted-outlines.js";
import { ROOT } from "../core/values/paths.js";
import type { MemoryConnectorConfig } from "./connector-options.js";
import { getDescriptions, leadChars } from "./descriptions.js";
import { renderMemory, type RenderMountsOptions, renderMounts, type RenderOptions } from "./render.js";

/** The options of a connector that decide the form of its message. */
export interface Form extends Required<Pick<MemoryConnectorConfig, "content" | "maxChars">> {
  /** As in `RenderMountsOptions`. */
  root: string;
}

/** Returns the options for reading a memory that is to be shown. */
export function outlineToShow({ content, maxChars }: Pick<Form, "content" | "maxChars">): OutlineOptions {
  // One UTF-16 unit takes at most three bytes of UTF-8, so contents with more bytes cannot fit.
  return {
    maxContentBytes: content === "full" ? maxChars * 3 : 0,
    leadChars: content === "index" ? leadChars : 0,
  };
}

/**
 * Renders a memory for a model.
 * @param outline read with `outlineToShow`
 * @returns null as `renderMemory`
 */
export async function showMemory(
  outline: MemoryOutline,
  options: Omit<RenderOptions, "descriptions">,
): Promise<string | null> {
  return renderMemory(outline, { ...options, descriptions: await readDescriptions(outline.files, options) });
}

/**
 * Chooses the outline to show for a thread or a user: its own, unless this has no files and the shared one has some.
 * @param own null if the run names no thread or user
 */
export async function chooseOutline(
  own: MemoryOutline | null,
  readShared: () => Promise<MemoryOutline>,
): Promise<MemoryOutline> {
  if (own !== null && hasFiles(own)) return own;
  const shared = await readShared();
  return own === null || hasFiles(shared) ? shared : own;
}

/** The memory that a tree of a thread or user shares with all others. */
export interface SharedOfTree {
  scope: MemoryScope;
  /** False if the run names no thread or user. Then the shared memory is at "/" already. */
  isOwn: boolean;
  /** Reads the shared memory as if it were at "/". Called if the own memory has no files. */
  readShared: () => Promise<MountOutline>;
}

/**
 * Renders a tree for a model.
 * @param shown the outline of each mount, read with `outlineToShow`
 * @returns null as `renderMounts`
 */
export async function showTree(
  shown: readonly MountOutline[],
  { scope, isOwn, readShared }: SharedOfTree,
  form: Form,
): Promise<string | null> {
  const own = shown.find(({ mount }) => mount.point === ROOT);
  const alone = { ...form, insteadOf: null };
  if (scope === "global" || own === undefined) return renderTree(shown, alone);
  const replaced = { ...form, insteadOf: scope, isOwnerMissing: !isOwn };
  if (!isOwn) return renderTree(shown, hasFiles(own.outline) ? replaced : alone);
  if (hasFiles(own.outline)) return renderTree(shown, alone);
  const shared = await readShared();
  if (!hasFiles(shared.outline)) return renderTree(shown, alone);
  return renderTree(
    shown.map((each) => (each === own ? shared : each)),
    replaced,
  );
}

async function renderTree(
  shown: readonly MountOutline[],
  form: Omit<RenderMountsOptions, "descriptions">,
): Promise<string | null> {
  const descriptions = await readDescriptions(
    shown.flatMap(({ outline }) => outline.files),
    form,
  );
  return renderMounts(shown, { ...form, descriptions });
}

/** Whether a memory has notes. */
export function hasFiles({ files }: MemoryOutline): boolean {
  return files.length > 0;
}

/** Length of the shortest line of a file, with its line end: `/a (1 byte)`. */
const minLineChars = 12;

async function readDescriptions(
  files: readonly OutlineFile[],
  { content, maxChars }: Form,
): Promise<ReadonlyMap<string, string>> {
  // An index of more files cannot fit, so their descriptions are not read.
  const mayFit = content === "index" && files.length * minLineChars <= maxChars;
  return mayFit ? getDescriptions(files) : new Map<string, string>();
}
