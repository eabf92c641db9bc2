import { z } from "zod";
import { tidy } from "../../tidy/tidy.js";
import { addressFields, changeFields } from "../fields.js";
import { openMemory, openToChange } from "../page-memory.js";
import { route } from "../route.js";

const maxShown = 500;

/** Returns the findings of `tidy` in a memory, without its mounts. */
const find = route("GET", "tidy", z.strictObject(addressFields), async (address, context) => {
  const findings = await tidy(openMemory(context, address), { signal: context.signal });
  return { findings: findings.slice(0, maxShown), total: findings.length };
});

const propose = route("POST", "propose-tidy", z.strictObject(changeFields), async ({ address, by }, context) => {
  const findings = await tidy(openToChange(context, address, by), { propose: true });
  const refused = findings.filter((finding) => finding.refused !== undefined);
  return {
    files: new Set(findings.flatMap(({ path, proposal }) => (proposal === undefined ? [] : path))).size,
    refused: refused.slice(0, maxShown).map(({ path, refused: why = "" }) => ({ path, why })),
  };
});

export const tidyRoutes = [find, propose] as const;
