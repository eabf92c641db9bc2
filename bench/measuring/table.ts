import type { Comparison } from "./measure.js";

export const row = (cells: string[]): string => `| ${cells.join(" | ")} |`;

/** The titles, and the line below them. */
export const tableHead = (titles: string[]): string[] => [row(titles), row(titles.map(() => "---"))];

/** Ratio, range of the rounds, both times. Bold where it misses its goal. */
export function comparisonCell(comparison: Comparison, missesGoal = false): string {
  const { ratio, oursMs, theirsMs } = comparison;
  const shown = ratio.toFixed(ratio < 10 ? 2 : 0);
  return `${missesGoal ? `**${shown}**` : shown} ${rangeOf(comparison)} ${milliseconds(oursMs)} / ${milliseconds(theirsMs)} ms`;
}

export function rangeOf({ ratioMin, ratioMax }: Pick<Comparison, "ratioMin" | "ratioMax">): string {
  const [least, most] = [ratioMin, ratioMax].map((ratio) => ratio.toFixed(ratioMax < 10 ? 2 : 0));
  return `[${least}..${most}]`;
}

export const milliseconds = (value: number): string => value.toFixed(value < 10 ? 2 : 0);
