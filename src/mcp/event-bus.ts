import { InMemoryServerEventBus, type ServerEvent } from "@modelcontextprotocol/server";
import type { ChangeWatch, MemoryChange } from "./change-watch.js";
import { toUri } from "./resources.js";

/** Tells the listening streams of the revision 2026-07-28 over HTTP what a watch has seen. */
export class WatchedEvents extends InMemoryServerEventBus {
  readonly #watch: ChangeWatch;

  constructor(watch: ChangeWatch) {
    super();
    this.#watch = watch;
  }

  override subscribe(listener: (event: ServerEvent) => void): () => void {
    let isOpen = true;
    const unsubscribe = super.subscribe(listener);
    const tell = (change: MemoryChange) => toEvents(change).forEach(listener);
    this.#watch.add({ isOpen: () => isOpen, isSubscribed: () => true, tell });
    return () => {
      isOpen = false;
      unsubscribe();
    };
  }
}

function toEvents({ isListChanged, paths }: MemoryChange): ServerEvent[] {
  const updated = Array.from(paths, (path): ServerEvent => ({ kind: "resource_updated", uri: toUri(path) }));
  return [...(isListChanged ? [{ kind: "resources_list_changed" } as const] : []), ...updated];
}
