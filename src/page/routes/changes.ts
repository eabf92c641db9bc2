import { z } from "zod";
import { treeIn } from "../../core/mounts/mounted-memory.js";
import { eventsAnswer } from "../answers.js";
import { changeEvents } from "../change-events.js";
import { addressFields } from "../fields.js";
import { treeOf } from "../page-memory.js";
import { type Route, route } from "../route.js";

/** The changes of a memory, and of what is mounted in it, as they happen. */
const changes = route("GET", "changes", z.object(addressFields).strict(), async (fields, context) => {
  const memory = treeOf(context, fields);
  const leave = context.watched.enter(treeIn(memory)?.mounts.length ?? 1);
  try {
    const watch = memory.watch();
    await watch.ready;
    return eventsAnswer(changeEvents(watch, leave));
  } catch (error) {
    leave();
    throw error;
  }
});

export const changeRoutes: readonly Route[] = [changes];
