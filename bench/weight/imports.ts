import { median } from "../measuring/measure.js";
import { importTimes } from "../package/import-time.js";

/** In every one of these programs LangGraph is imported anyway. */
const comparison = "@langchain/langgraph";

export interface ImportTime {
  specifier: string;
  /** Median of the runs, or the optional peer without which the import fails. */
  outcome: { wallMs: number } | { missing: string };
}

/**
 * How long the imports of an installed package take, each in fresh processes, in turns. LangGraph by itself is the
 * last.
 */
export async function importTimesIn(
  project: string,
  specifiers: readonly string[],
  runs: number,
): Promise<ImportTime[]> {
  const imports = [...specifiers, comparison].map((specifier) => ({ specifier, wallMs: [] as number[], missing: "" }));
  for (let run = -1; run < runs; run += 1) {
    for (const one of imports) {
      if (one.missing !== "") continue;
      try {
        const { wallMs } = await importTimes([one.specifier], project);
        if (run >= 0) one.wallMs.push(wallMs);
      } catch (error) {
        one.missing = missingPackage(error);
      }
    }
  }
  return imports.map(({ specifier, wallMs, missing }) => ({
    specifier,
    outcome: missing === "" ? { wallMs: median(wallMs) } : { missing },
  }));
}

/** The package that Node did not find. Throws any other error again. */
function missingPackage(error: unknown): string {
  const name = /Cannot find package '([^']+)'/.exec(String(error))?.[1];
  if (name === undefined) throw error;
  return name;
}
