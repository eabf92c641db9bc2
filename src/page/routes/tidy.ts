import { z } from "zod";
import { tidy } from "../../tidy/tidy.js";
import { addressFields } from "../fields.js";
import { openMemory } from "../page-memory.js";
import { route } from "../route.js";

const maxShown = 500;

/** Returns the findings of `tidy` in a memory, without its mounts. */
const find = route("GET", "tidy", z.strictObject(addressFields), async (address, context) => {
  const findings = await tidy(openMemory(context, address), { signal: context.signal });
  return { findings: findings.slice(0, maxShown), total: findings.length };
});

export const tidyRoutes = [find] as const;
