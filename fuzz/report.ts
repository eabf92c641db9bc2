import type { Findings } from "./findings.js";
import type { HeapLevel } from "./heap-levels.js";
import type { Tally } from "./run-cases.js";

export interface RunResult {
  tallies: ReadonlyMap<string, Tally>;
  heap: readonly HeapLevel[];
  findings: Findings;
  seed: number;
  seconds: number;
}

export function reportOf({ tallies, heap, findings, seed, seconds }: RunResult): string {
  const cases = [...tallies.values()].reduce((sum, tally) => sum + tally.cases, 0);
  return [
    "",
    `${cases} cases in ${Math.round(seconds)} s, seed ${seed}: ${findings.count === 0 ? "no finding" : `${findings.count} findings`}`,
    "",
    ...[...tallies].flatMap(([name, tally]) => [targetLine(name, tally), outcomesLine(tally)]),
    "",
    `heap: ${heap.map(({ cases: after, heapBytes }) => `${(heapBytes / 1e6).toFixed(1)} MB after ${after} cases`).join(", ")}`,
    ...findings.lines.map((line) => `\n${line}`),
  ].join("\n");
}

function targetLine(name: string, { cases, slowestMs, slowOnce }: Tally): string {
  const slow = slowOnce === 0 ? "" : `, ${slowOnce} over a second only among others`;
  return `${name}: ${cases} cases, slowest call ${Math.round(slowestMs)} ms${slow}`;
}

function outcomesLine({ outcomes }: Tally): string {
  const sorted = [...outcomes].toSorted(([, a], [, b]) => b - a);
  return `  ${sorted.map(([outcome, count]) => `${outcome} ${count}`).join(", ")}`;
}
