import { z } from "zod";
import { getMountTree } from "../../core/mounts/mounted-memory.js";
import { sendChanges } from "../live/change-events.js";
import { addressFields } from "../fields.js";
import { openTree } from "../page-memory.js";
import { PageRefusal } from "../refusal.js";
import { route } from "../route.js";

/** Streams the changes of a memory and of its mounts. */
const changes = route("GET", "changes", z.object(addressFields).strict(), async (fields, context) => {
  const { watched, database, http } = context;
  const memory = openTree(context, fields);
  // Their number is limited for all, so a refusal would tell how many others look. The browser polls instead.
  if (context.visitor.owner !== undefined) return new Response(null, { status: 204 });
  const count = getMountTree(memory)?.mounts.length ?? 1;
  if (watched.current + count > watched.max)
    throw new PageRefusal(
      503,
      "EBUSY",
      `the page watches at most ${watched.max} memories at once, for all who look at it`,
    );
  watched.current += count;
  const leave = (): void => {
    watched.current -= count;
  };
  try {
    const watch = memory.watch();
    await watch.ready;
    return sendChanges(http, watch, () => database.isReachable(), leave);
  } catch (error) {
    leave();
    throw error;
  }
});

export const changeRoutes = [changes] as const;
