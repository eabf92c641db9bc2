import { InMemoryServerEventBus, type ServerEvent } from "@modelcontextprotocol/server";
import type { ChangeWatch, ResourceChange } from "./change-watch.js";
import { toUri } from "./resources.js";

/** Passes the changes of a watch on to the listening streams of revision 2026-07-28 over HTTP. */
export class WatchedEvents extends InMemoryServerEventBus {
  readonly #watch: ChangeWatch;

  constructor(watch: ChangeWatch) {
    super();
    this.#watch = watch;
  }

  override subscribe(listener: (event: ServerEvent) => void): () => void {
    let isOpen = true;
    const unsubscribe = super.subscribe(listener);
    const notify = (change: ResourceChange) => toEvents(change).forEach(listener);
    this.#watch.add({ isOpen: () => isOpen, isSubscribed: () => true, notify });
    return () => {
      isOpen = false;
      unsubscribe();
    };
  }
}

function toEvents({ isListChanged, paths }: ResourceChange): ServerEvent[] {
  const updated = Array.from(paths, (path): ServerEvent => ({ kind: "resource_updated", uri: toUri(path) }));
  return [...(isListChanged ? [{ kind: "resources_list_changed" } as const] : []), ...updated];
}
