import { type DialectResult, runDialectBench } from "./dialect-bench.js";
import { type DirectoryMeasured, runDirectoryBench } from "./directory-bench.js";
import { dayCounts, measureReads } from "./journal-reads.js";
import type { Comparison } from "../measuring/measure.js";
import { builtDialects, builtDirectory, builtPackage } from "../package/packed-package.js";
import { machineLine, milliseconds, rangeOf, row, versionOfPackage } from "../memories/report.js";
import { inDatabase, mongodVersion, onServer } from "../measuring/servers.js";

export async function measureDialects(rounds: number): Promise<string> {
  const [index, dialects, directory] = await Promise.all([builtPackage(), builtDialects(), builtDirectory()]);
  const measured = await onServer("standalone", async (uri) => ({
    mongod: await mongodVersion(uri),
    calls: await inDatabase(uri, { monitorCommands: true }, (client, dbName) =>
      runDialectBench({ package: index, dialects, client, dbName, rounds }),
    ),
    reads: await inDatabase(uri, {}, (client, dbName) => measureReads({ package: index, dialects, client, dbName, rounds })),
  }));
  const folders = await runDirectoryBench({ dialects, directory, rounds });
  return [
    "## Measured",
    "",
    await machineLine({ mongod: measured.mongod, rounds }),
    "",
    "### Dialects on MongoDB",
    "",
    ...callTable(measured.calls),
    "",
    "### The journal's read by key",
    "",
    `Among ${dayCounts.many} daily files it takes ${cell(measured.reads)} of that among ${dayCounts.few}.`,
    "",
    "### Claude's memory tool on a folder",
    "",
    ...folderTable(folders, await versionOfPackage("@anthropic-ai/sdk")),
    "",
  ].join("\n");
}

function callTable(results: DialectResult[]): string[] {
  const rows = results.map(({ call, commands, ...times }) =>
    row([call.dialect, call.command, String(commands), call.nearest, cell(times)]),
  );
  return [row(["dialect", "command", "server commands", "nearest of the unified tool", "time against it"]), row(Array(5).fill("---")), ...rows];
}

function folderTable({ results, kept }: DirectoryMeasured, version: string): string[] {
  return [
    row(["command", `time against \`BetaLocalFilesystemMemoryTool\` of \`@anthropic-ai/sdk\` ${version}`]),
    row(["---", "---"]),
    ...results.map(({ command, ...times }) => row([command, cell(times)])),
    "",
    `Of 50 \`str_replace\` of one file at once, ${kept.ours} are in the file afterwards here, ${kept.theirs} there.`,
  ];
}

function cell(times: Comparison): string {
  return `${times.ratio.toFixed(2)} ${rangeOf(times)} ${milliseconds(times.oursMs)} / ${milliseconds(times.theirsMs)} ms`;
}
