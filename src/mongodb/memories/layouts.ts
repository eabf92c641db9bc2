import { MemoryExpiry } from "./memory-expiry.js";
import { openSharedCollections } from "./shared-collections.js";
import { FilesLayout } from "./files/files-layout.js";
import { openSnapshot } from "./files/files-snapshot.js";
import { FollowingLayout } from "./moves/following-layout.js";
import { Following } from "./moves/following.js";
import { KnownMoves } from "./moves/known-moves.js";
import type { KeptLayout, MemoryLayout } from "./contract/layout.js";
import type { LayoutContext, StoreContext } from "./contract/layout-context.js";
import { DocumentLayout } from "./document/document-layout.js";

/**
 * The one list of layouts. `document`: one document for each memory (ADR 0002). `files`: one for each file and
 * directory (ADR 0021).
 */
export const layouts = {
  document: (context) => DocumentLayout.open(context),
  files: (context) => FilesLayout.open(context),
} as const satisfies Record<string, (context: LayoutContext) => KeptLayout>;

/** How memories lie in the database. */
export type LayoutName = keyof typeof layouts;

/**
 * How a memory is read that may be larger than the process, for the layouts that have such memories. Beside the layouts, and not a
 * part of them, as stores have no use for it: so it is no part of their bundle.
 */
export const moments: Partial<Record<LayoutName, typeof openSnapshot>> = { files: openSnapshot };

// A schema needs to know that the list is not empty.
export const layoutNames = Object.keys(layouts) as [LayoutName, ...LayoutName[]];

/** @param name of the layout in which new memories are made; those that have moved to the other one are found there */
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

/** Opens what all layouts of a store share. */
export function createLayoutContext(store: StoreContext): LayoutContext {
  const expiry = new MemoryExpiry(store.expireMs, store.clock);
  return { ...store, shared: openSharedCollections(store), expiry, isGuest: false };
}
