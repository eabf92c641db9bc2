import { readFile, writeFile } from "node:fs/promises";
import { cpus, totalmem } from "node:os";
import { MongoClient } from "mongodb";
import type { Result } from "./measure.js";

export const toRow = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;

/** The titles, and the line below them. */
export const tableHead = (titles: readonly string[]): string[] => [toRow(titles), toRow(titles.map(() => "---"))];

/** A row and a column for each that the results name, in their order. */
export function resultTable(title: string, results: readonly Result[]): string[] {
  const columns = [...new Set(results.map(({ column }) => column))];
  const rows = [...new Set(results.map(({ row }) => row))];
  const getCell = (row: string, column: string): string => {
    const result = results.find((each) => each.row === row && each.column === column);
    return result === undefined ? "" : resultCell(result);
  };
  return [
    ...tableHead([title, ...columns]),
    ...rows.map((row) => toRow([row, ...columns.map((column) => getCell(row, column))])),
  ];
}

/** The ratio, its range, both times. Bold where it misses its goal. */
export function resultCell(result: Result): string {
  const { ratio, ratioMin, ratioMax, oursMs, theirsMs, atMost = Infinity, atLeast = 0 } = result;
  const shown = toShort(ratio);
  const digits = ratioMax < 10 ? 2 : 0;
  const range = `[${ratioMin.toFixed(digits)}..${ratioMax.toFixed(digits)}]`;
  const marked = ratio > atMost || ratio < atLeast ? `**${shown}**` : shown;
  return `${marked} ${range} ${toShort(oursMs)} / ${toShort(theirsMs)} ms`;
}

export const toShort = (value: number): string => value.toFixed(value < 10 ? 2 : 0);

/** When, where and with which versions was measured. @param rounds of each comparison, if there are any */
export async function machineLine(uri: string, rounds?: number): Promise<string> {
  const client = new MongoClient(uri);
  const mongod = await client.db("admin").command({ buildInfo: 1 });
  await client.close();
  const memory = Math.round(totalmem() / 2 ** 30);
  return (
    `${new Date().toISOString().slice(0, 10)}: ${cpus().length} cores of ${cpus()[0]?.model.trim()}, ${memory} GB; ` +
    `node ${process.versions.node}, mongod ${mongod["version"]} on the same machine, ` +
    `driver ${await readVersion("node_modules/mongodb")}, this package ${await readVersion(".")}${rounds === undefined ? "" : `; ${rounds} rounds`}.`
  );
}

/** @param folder of a package, from that of the project */
export async function readVersion(folder: string): Promise<string> {
  const file = new URL(`../../${folder}/package.json`, import.meta.url);
  return (JSON.parse(await readFile(file, "utf8")) as { version: string }).version;
}

/** Replaces the measured part of a page, which is the rest of it from "Measured" on. */
export async function replaceMeasured(page: URL, lines: readonly string[]): Promise<void> {
  const text = await readFile(page, "utf8");
  const [before = ""] = text.split("## Measured\n");
  await writeFile(page, `${before}${["## Measured", "", ...lines].join("\n")}\n`);
}
