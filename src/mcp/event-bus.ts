import type { ServerEvent, ServerEventBus } from "@modelcontextprotocol/server";
import type { ChangeWatch, ResourceChange } from "./change-watch.js";
import { toUri } from "./resources.js";

/** Passes the changes of a watch on to the listening streams of revision 2026-07-28 over HTTP. */
export function createEventBus(watch: ChangeWatch): ServerEventBus {
  return {
    // All changes come from the watch.
    publish: () => {},
    subscribe: (listener) => {
      let isOpen = true;
      const notify = (change: ResourceChange) => toEvents(change).forEach(listener);
      watch.add({ isOpen: () => isOpen, isSubscribed: () => true, notify });
      return () => {
        isOpen = false;
      };
    },
  };
}

function toEvents({ isListChanged, paths }: ResourceChange): ServerEvent[] {
  const updated = Array.from(paths, (path): ServerEvent => ({ kind: "resource_updated", uri: toUri(path) }));
  return [...(isListChanged ? [{ kind: "resources_list_changed" } as const] : []), ...updated];
}
