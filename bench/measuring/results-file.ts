import { readFile, writeFile } from "node:fs/promises";
import { row } from "./table.js";

/** Replaces the measured part of a file, which is the rest of it from "Measured" on. */
export async function replaceMeasured(file: URL, report: string): Promise<void> {
  const text = await readFile(file, "utf8").catch(() => "# Benchmark\n\n");
  const before = text.includes("## Measured") ? text.slice(0, text.indexOf("## Measured")) : text;
  await writeFile(file, before + report);
}

/** Replaces the row of a table that begins with the same cell. */
export async function replaceRow(file: URL, cells: [first: string, ...rest: string[]]): Promise<void> {
  const lines = (await readFile(file, "utf8")).split("\n");
  const place = lines.findIndex((line) => line.startsWith(`| ${cells[0]} |`));
  if (place === -1) throw new Error(`${file.href} has no row for ${cells[0]}`);
  await writeFile(file, lines.with(place, row(cells)).join("\n"));
}
