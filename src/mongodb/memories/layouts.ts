import { MemoryExpiry } from "./expiry/memory-expiry.js";
import { openSharedCollections } from "./shared-collections.js";
import { FilesLayout } from "./files/files-layout.js";
import { FollowingLayout } from "./moves/following-layout.js";
import { Following } from "./moves/following.js";
import { KnownMoves } from "./moves/known-moves.js";
import type { KeptLayout, MemoryLayout } from "./contract/layout.js";
import type { LayoutContext, StoreContext } from "./contract/layout-context.js";
import { DocumentLayout } from "./document/document-layout.js";

/**
 * The one list of layouts. `document`: one document for each memory (ADR 0002). `files`: one document for each file and
 * directory (ADR 0021).
 */
export const layouts = {
  document: (context) => DocumentLayout.open(context),
  files: (context) => FilesLayout.open(context),
} as const satisfies Record<string, (context: LayoutContext) => KeptLayout>;

/** How memories are stored in the database. */
export type LayoutName = keyof typeof layouts;

// `z.enum` requires a list whose type is not empty.
export const layoutNames = Object.keys(layouts) as [LayoutName, ...LayoutName[]];

/** @param name the layout of new memories. Memories that have moved to the other layout are found there */
export function openLayout(name: LayoutName, store: StoreContext): MemoryLayout {
  const context = createLayoutContext(store);
  const otherName = name === "files" ? "document" : "files";
  const opened: { guest?: KeptLayout; tolerant?: KeptLayout } = {};
  const following = new Following(
    {
      home: layouts[name](context),
      other: () => (opened.guest ??= layouts[otherName]({ ...context, isGuest: true })),
      otherOrEmpty: () => (opened.tolerant ??= layouts[otherName](context)),
    },
    new KnownMoves(),
    { client: store.client, writeConcern: store.writeConcern },
  );
  return new FollowingLayout(following, name, context);
}

/** Opens the parts that all layouts of a store share. */
export function createLayoutContext(store: StoreContext): LayoutContext {
  const expiry = new MemoryExpiry(store.expireMs, store.clock);
  return { ...store, shared: openSharedCollections(store), expiry, isGuest: false };
}
