import { readFile, writeFile } from "node:fs/promises";
import type { TargetReport } from "./report.js";
import { targets } from "./targets.js";

const page = new URL("../../bench/fuzz/RESULTS.md", import.meta.url);
const begin = "<!-- Made by the fuzz run with --table. -->\n";
const end = "<!-- End of the table. -->\n";

const count = (value: number): string => value.toLocaleString("en-US");

function formatRow({ name, cases, findings, longestSliceSteps, slowestCallMs }: TargetReport): string {
  const tries = targets.find((target) => target.name === name)?.tries ?? "";
  const cells = [
    name,
    tries,
    count(cases),
    count(findings.length),
    count(longestSliceSteps),
    Math.round(slowestCallMs),
  ];
  return `| ${cells.join(" | ")} |\n`;
}

/** Writes what a run has tried, and its worst figures, into the page of the measurements. */
export async function writeTable(reports: readonly TargetReport[]): Promise<void> {
  const text = await readFile(page, "utf8");
  const [before, rest] = text.split(begin);
  const [, after] = rest?.split(end) ?? [];
  if (before === undefined || after === undefined) throw new Error("the page has no place for the table");
  const head =
    "| calls of | what is tried | calls | findings | most steps without a pause | slowest call in ms |\n" +
    "|---|---|---|---|---|---|\n";
  await writeFile(page, [before, begin, head, ...reports.map(formatRow), end, after].join(""));
}
