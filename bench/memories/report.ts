import type { ImportResult } from "../package/import-time.js";
import { type Machine, machineLine } from "../measuring/machine.js";
import { comparisonCell, row, tableHead } from "../measuring/table.js";
import type { MemoryResult } from "./against-driver.js";
import type { MountResult } from "./mounts.js";

export interface ServerResults {
  title: string;
  results: MemoryResult[];
}

const commandGoal = 1.15;
const changeGoal = 1.1;
const changes = new Set(["append", "update", "write", "delete"]);
const importGoal = 1.2;
const mountGoal = 1.05;
const connectorGoal = 1.5;

export async function reportOf(
  machine: Machine,
  servers: ServerResults[],
  mounts: MountResult[],
  imported: ImportResult,
): Promise<string> {
  return [
    "## Measured",
    "",
    await machineLine(machine),
    "",
    ...servers.flatMap(({ title, results }) => [`### ${title}`, "", ...commandTable(results), ""]),
    "### Mounts",
    "",
    ...mountTable(mounts),
    "",
    "### Import",
    "",
    ...importTable(imported),
    "",
  ].join("\n");
}

/** A row for each command, a group of columns for each size. */
function commandTable(results: MemoryResult[]): string[] {
  const counts = [...new Set(results.map((result) => result.fileCount))];
  const commands = [...new Set(results.map((result) => result.command))];
  const cell = (command: string, fileCount: number): string => {
    const result = results.find((one) => one.command === command && one.fileCount === fileCount);
    return result
      ? comparisonCell(result, command !== "noise" && result.ratio > (changes.has(command) ? changeGoal : commandGoal))
      : "";
  };
  const columns = counts.map((count) => {
    const iterations = results.find((result) => result.fileCount === count)?.iterations ?? 0;
    return `${count} files (n = ${iterations} a round)`;
  });
  return [
    ...tableHead(["command", ...columns]),
    ...commands.map((command) => row([command, ...counts.map((count) => cell(command, count))])),
  ];
}

function mountTable(results: MountResult[]): string[] {
  const goal = ({ what }: MountResult): number =>
    what.startsWith("connector") ? connectorGoal : what.includes("pings") ? Infinity : mountGoal;
  return [
    ...tableHead(["on a standalone", "n a round", "ratio"]),
    ...results.map((result) =>
      row([result.what, String(result.iterations), comparisonCell(result, result.ratio > goal(result))]),
    ),
  ];
}

function importTable(result: ImportResult): string[] {
  return [
    ...tableHead(["", `n = ${result.runs} processes each`]),
    row(["index of dist", comparisonCell(result, result.ratio > importGoal)]),
    "",
    `The other side imports ${result.peers.join(", ")}.`,
  ];
}
