import { type ContentionResult, writers } from "../memories/contention.js";
import { machineLine, versionOfPackage } from "../measuring/machine.js";
import { comparisonCell, milliseconds, rangeOf, row, tableHead } from "../measuring/table.js";
import type { StoreResult } from "./against-others.js";
import type { OptionResult, SizeResult } from "./sizes-and-options.js";
import { dims, type VectorResult } from "./vector-search.js";

export interface StoreReport {
  mongod: string;
  rounds: number;
  results: StoreResult[];
  vectors: VectorResult[];
  sizes: SizeResult[];
  options: OptionResult[];
  contention: ContentionResult[];
}

const rawGoal = 1.15;
const officialGoals: Partial<Record<StoreResult["operation"], number>> = {
  "get hit": 60,
  "batch of 100 gets": 300,
  "batch of 100 puts": 300,
};
const goalCount = 100_000;

export async function storeReportOf(report: StoreReport): Promise<string> {
  const official = await versionOfPackage("@langchain/langgraph-checkpoint-mongodb");
  return [
    "## Measured",
    "",
    `${await machineLine(report)} Official store: @langchain/langgraph-checkpoint-mongodb ${official}.`,
    "",
    "### Against the driver (ours ÷ raw)",
    "",
    ...tableOf(report.results, rawCell, (result) => `n = ${result.rawIterations} a round`),
    "",
    "### Against the official store (official ÷ ours)",
    "",
    ...tableOf(
      report.results.filter(({ official: measured }) => measured),
      officialCell,
      () => "",
    ),
    "",
    "### Growth of ours (the size ÷ the smallest size)",
    "",
    ...tableOf(
      report.results.filter(({ operation }) => operation !== "noise"),
      growthCell,
      () => "",
    ),
    "",
    `### Exact vector search, ${dims} dimensions (ours ÷ raw)`,
    "",
    ...vectorTable(report.vectors),
    "",
    "### Sizes",
    "",
    ...sizeTable(report.sizes),
    "",
    ...report.options.map((option) => `- A new item put into ${option.title} ÷ into ours: ${comparisonCell(option)}.`),
    "",
    `### Contention: appends a second by ${writers} writers at once`,
    "",
    ...contentionTable(report.contention),
    "",
  ].join("\n");
}

/** A row for each operation, a column for each size. */
function tableOf(
  results: StoreResult[],
  cellOf: (result: StoreResult) => string,
  noteOf: (result: StoreResult) => string,
): string[] {
  const counts = [...new Set(results.map(({ count }) => count))];
  const operations = [...new Set(results.map(({ operation }) => operation))];
  const cells = operations.map((operation) => {
    const ofOperation = results.filter((result) => result.operation === operation);
    const [first] = ofOperation;
    const note = first === undefined ? "" : noteOf(first);
    const title = note === "" ? operation : `${operation} (${note})`;
    return row([
      title,
      ...counts.map((count) =>
        ofOperation
          .filter((result) => result.count === count)
          .map(cellOf)
          .join(""),
      ),
    ]);
  });
  return [...tableHead(["operation", ...counts.map(itemsTitle)]), ...cells];
}

const itemsTitle = (count: number): string => `${count.toLocaleString("en-US")} items`;

function rawCell({ operation, raw }: StoreResult): string {
  return comparisonCell(raw, operation !== "noise" && raw.ratio > rawGoal);
}

function officialCell({ operation, count, official, officialInTurns, officialIterations }: StoreResult): string {
  if (official === undefined || officialInTurns === undefined) return "";
  const goal = count === goalCount ? (officialGoals[operation] ?? 0) : 0;
  const inTurns = officialInTurns.ratio.toFixed(officialInTurns.ratio < 10 ? 2 : 0);
  return `${comparisonCell(official, official.ratio < goal)} (in turns ${inTurns}, n = ${officialIterations})`;
}

function growthCell({ growth }: StoreResult): string {
  return `${growth.ratio.toFixed(2)} ${rangeOf(growth)}`;
}

function vectorTable(results: VectorResult[]): string[] {
  return [
    ...tableHead(["vectors", "ours ÷ raw, ms", "ours, ms for each 1,000 vectors"]),
    ...results.map((result) =>
      row([
        `${result.count.toLocaleString("en-US")} (n = ${result.iterations} a round)`,
        comparisonCell(result, result.ratio > rawGoal),
        milliseconds((1_000 * result.oursMs) / result.count),
      ]),
    ),
  ];
}

function sizeTable(sizes: SizeResult[]): string[] {
  const mebibytes = (bytes: number): string => (bytes / 2 ** 20).toFixed(1);
  return [
    ...tableHead(["collection", "data, MiB", "data on disk, MiB", "indexes, MiB", "bytes an item: data, indexes"]),
    ...sizes.map(({ title, count, dataBytes, storageBytes, indexBytes }) => {
      const indexes = Object.entries(indexBytes).map(([name, bytes]) => `${name} ${mebibytes(bytes)}`);
      const allIndexes = Object.values(indexBytes).reduce((sum, bytes) => sum + bytes, 0);
      return row([
        `${title}, ${itemsTitle(count)}`,
        mebibytes(dataBytes),
        mebibytes(storageBytes),
        indexes.join(", "),
        `${Math.round(dataBytes / count)}, ${Math.round(allIndexes / count)}`,
      ]);
    }),
  ];
}

function contentionTable(results: ContentionResult[]): string[] {
  return [
    ...tableHead(["files in each memory (500 bytes each)", "into one memory", "into a memory for each writer"]),
    ...results.map(({ fileCount, onOneMemory, onOwnMemories }) =>
      row([String(fileCount), onOneMemory.toFixed(0), onOwnMemories.toFixed(0)]),
    ),
  ];
}
