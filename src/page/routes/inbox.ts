import { z } from "zod";
import type { CheckedAddress } from "../../core/values/address.js";
import { takePage } from "../fields.js";
import { route } from "../route.js";

/** Number of proposals in the list. More follow when these are decided. */
const maxListed = 200;

/** Number of proposals that are counted. Nobody decides about so many in a day. */
const maxCounted = 1000;

const noFields = z.object({}).strict();

/** The proposals of all memories that wait for a person, oldest first. */
const inbox = route("GET", "inbox", noFields, async (_input, { memories }) => {
  const { page, more } = await takePage(memories.listProposals({}), 0, maxListed);
  return { proposals: page, more };
});

/** How many proposals wait, in all memories and in each. */
const waiting = route("GET", "waiting", noFields, async (_input, { memories }) => {
  const { page, more } = await takePage(memories.listProposals({}), 0, maxCounted);
  const counts = new Map<string, { address: CheckedAddress; count: number }>();
  for (const { address } of page) {
    const key = JSON.stringify(address);
    const counted = counts.get(key) ?? { address, count: 0 };
    counted.count += 1;
    counts.set(key, counted);
  }
  return { count: page.length, more, memories: [...counts.values()] };
});

export const inboxRoutes = [inbox, waiting] as const;
