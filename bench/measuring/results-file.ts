import { readFile, writeFile } from "node:fs/promises";

/** Replaces the measured part of a file, which is the rest of it from "Measured" on. */
export async function replaceMeasured(file: URL, report: string): Promise<void> {
  const text = await readFile(file, "utf8").catch(() => "# Benchmark\n\n");
  const before = text.includes("## Measured") ? text.slice(0, text.indexOf("## Measured")) : text;
  await writeFile(file, before + report);
}
