import { type Machine, machineLine } from "../measuring/machine.js";
import { compare, type Comparison } from "../measuring/measure.js";
import { comparisonCell, rangeOf, row, tableHead } from "../measuring/table.js";
import type { MeasuredCall } from "./calls.js";

export interface AgainstReport extends Machine {
  /** The version that was compared with. */
  earlier: string;
  calls: MeasuredCall[];
}

interface Result {
  area: string;
  title: string;
  comparison: Comparison;
  /** The earlier version against its own copy. */
  noise: Comparison;
}

const goal = 1.05;

export async function againstReportOf({ earlier, calls, ...machine }: AgainstReport): Promise<string> {
  const results = calls.map(resultOf);
  const areas = [...new Set(results.map(({ area }) => area))];
  const different = calls.filter(({ answersDiffer }) => answersDiffer).map(({ name }) => name);
  return [
    "## Measured",
    "",
    `${await machineLine(machine)} Earlier version: ${earlier}.`,
    "",
    ...areas.flatMap((area) => [`### ${area}`, "", ...tableOf(results.filter((result) => result.area === area)), ""]),
    "### Above the goal",
    "",
    noiseLine(results),
    ...(different.length > 0 ? ["", `The versions answer differently: ${different.join("; ")}.`] : []),
    "",
    goalLine(results),
    "",
  ].join("\n");
}

function resultOf({ area, name, iterations, rounds }: MeasuredCall): Result {
  // Both are the earlier version: two samples of it halve the chance in it.
  const comparison = compare(rounds.map(({ now, earlier, copy }) => ({ oursMs: now, theirsMs: (earlier + copy) / 2 })));
  const noise = compare(rounds.map(({ earlier, copy }) => ({ oursMs: copy, theirsMs: earlier })));
  return { area, title: `${name} (n = ${iterations})`, comparison, noise };
}

function tableOf(results: Result[]): string[] {
  return [
    ...tableHead(["call", "now ÷ earlier", "noise"]),
    ...results.map(({ title, comparison, noise }) =>
      row([title, comparisonCell(comparison, comparison.ratio > goal), `${noise.ratio.toFixed(2)} ${rangeOf(noise)}`]),
    ),
  ];
}

function noiseLine(results: Result[]): string {
  const ratios = results.map(({ noise }) => noise.ratio);
  const [least, most] = [Math.min(...ratios), Math.max(...ratios)].map((ratio) => ratio.toFixed(3));
  const outside = ratios.filter((ratio) => ratio > goal || ratio < 1 / goal).length;
  return `The earlier version against its own copy: ${least} to ${most}, ${outside} of ${ratios.length} beyond ${goal} either way.`;
}

function goalLine(results: Result[]): string {
  const slower = results.filter(({ comparison }) => comparison.ratio > goal);
  const named = slower.map(({ area, title, comparison }) => `${area}: ${title} ${comparison.ratio.toFixed(3)}`);
  return named.length > 0 ? `Above ${goal}: ${named.join("; ")}.` : `Nothing is above ${goal}.`;
}
