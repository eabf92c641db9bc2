import type { MemoryScope } from "../core/values/address.js";
import type { MemoryOutline, OutlineFile, OutlineOptions } from "../core/memory.js";
import type { MountOutline } from "../core/mounts/mounted-outlines.js";
import { ROOT } from "../core/values/paths.js";
import type { MemoryConnectorConfig } from "./connector-options.js";
import { getDescriptions, leadChars } from "./descriptions.js";
import type { OwnedScope } from "./introduction.js";
import { renderMemory, renderMounts, type RenderOptions } from "./render.js";

/** The options of a connector for the form of its message. */
type Form = Required<Pick<MemoryConnectorConfig, "content" | "maxChars">>;

/** What must be known of a memory to show it. */
export function outlineToShow({ content, maxChars }: Form): OutlineOptions {
  // A UTF-16 unit takes at most three bytes of UTF-8: contents of more bytes than that cannot fit.
  return {
    maxContentBytes: content === "full" ? maxChars * 3 : 0,
    leadChars: content === "index" ? leadChars : 0,
    maxPathChars: maxChars,
  };
}

/**
 * The text that a model is shown of a memory. @param outline read with `outlineToShow`. @returns null as `renderMemory`
 */
export async function showMemory(
  outline: MemoryOutline,
  options: Omit<RenderOptions, "descriptions">,
): Promise<string | null> {
  return renderMemory(outline, { ...options, descriptions: await descriptionsToShow(outline.files, options) });
}

/** Where a tree belongs to a thread or a user, what its node remembers for all. */
export interface SharedOfTree {
  scope: MemoryScope;
  /** False: the run names no thread or user, so the memory for all is at "/" already. */
  isOwn: boolean;
  /** The memory for all, as it would be seen at "/". Called if the own memory is empty. */
  readShared: () => Promise<MountOutline>;
}

/**
 * The text that a model is shown of a tree. @param shown what each mount holds, read with `outlineToShow`. @returns
 * null as `renderMounts`
 */
export async function showTree(
  shown: readonly MountOutline[],
  { scope, isOwn, readShared }: SharedOfTree,
  form: Form,
): Promise<string | null> {
  const own = shown.find(({ mount }) => mount.point === ROOT);
  if (scope === "global" || own === undefined) return renderTree(shown, null, form);
  if (!isOwn) return renderTree(shown, isEmpty(own.outline) ? null : scope, form);
  if (!isEmpty(own.outline)) return renderTree(shown, null, form);
  const shared = await readShared();
  if (isEmpty(shared.outline)) return renderTree(shown, null, form);
  return renderTree(
    shown.map((each) => (each === own ? shared : each)),
    scope,
    form,
  );
}

async function renderTree(
  shown: readonly MountOutline[],
  insteadOf: OwnedScope | null,
  form: Form,
): Promise<string | null> {
  const { content, maxChars } = form;
  const descriptions = await descriptionsToShow(
    shown.flatMap(({ outline }) => outline.files),
    form,
  );
  return renderMounts(shown, { content, maxChars, insteadOf, descriptions });
}

export function isEmpty({ files, directories }: MemoryOutline): boolean {
  return files.length + directories.length === 0;
}

/** Of the shortest line of a file with its line end: `/a (1 byte)`. */
const minLineChars = 12;

async function descriptionsToShow(
  files: readonly OutlineFile[],
  { content, maxChars }: Form,
): Promise<ReadonlyMap<string, string>> {
  // An index of more files cannot fit, so there is no need to know what they say.
  const mayFit = content === "index" && files.length * minLineChars <= maxChars;
  return mayFit ? getDescriptions(files) : new Map<string, string>();
}
