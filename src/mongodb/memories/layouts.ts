import { FilesLayout } from "./files/files-layout.js";
import { momentOf } from "./files/files-moment.js";
import type { LayoutContext, MemoryLayout } from "./layout.js";
import { OneDocumentLayout } from "./one-document/one-document-layout.js";

/** The one list of layouts. `document`: one document for each memory (ADR 0002). `files`: one for each file and directory (ADR 0021). */
export const layouts = {
  document: (context) => OneDocumentLayout.open(context),
  files: (context) => FilesLayout.open(context),
} as const satisfies Record<string, (context: LayoutContext) => MemoryLayout>;

/** How memories lie in the database. */
export type LayoutName = keyof typeof layouts;

/**
 * How a memory is read that may be larger than the process. Null: none of the layout is. Beside the layouts, and not a part of them, as
 * stores have no use for it: so it is no part of their bundle.
 */
export const moments = { document: null, files: momentOf } as const satisfies Record<LayoutName, unknown>;

export const layoutNames = Object.keys(layouts) as [LayoutName, ...LayoutName[]];
