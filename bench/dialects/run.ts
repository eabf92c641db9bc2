import { type DialectResult, runDialectBench } from "./against-unified-tool.js";
import { type DirectoryMeasured, runDirectoryBench } from "./folder-against-sdk.js";
import { dayCounts, measureReads } from "./journal-reads.js";
import { builtDialects, builtDirectory, builtPackage } from "../package/built-package.js";
import { machineLine, versionOfPackage } from "../measuring/machine.js";
import { inDatabase, mongodVersion, onServer } from "../measuring/servers.js";
import { comparisonCell, row, tableHead } from "../measuring/table.js";

export async function measureDialects(rounds: number): Promise<string> {
  const [index, dialects, directory] = await Promise.all([builtPackage(), builtDialects(), builtDirectory()]);
  const measured = await onServer("standalone", async (uri) => ({
    mongod: await mongodVersion(uri),
    calls: await inDatabase(uri, { monitorCommands: true }, (client, dbName) =>
      runDialectBench({ package: index, dialects, client, dbName, rounds }),
    ),
    reads: await inDatabase(uri, {}, (client, dbName) =>
      measureReads({ package: index, dialects, client, dbName, rounds }),
    ),
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
    `Among ${dayCounts.many} daily files it takes ${comparisonCell(measured.reads)} of that among ${dayCounts.few}.`,
    "",
    "### Claude's memory tool on a folder",
    "",
    ...folderTable(folders, await versionOfPackage("@anthropic-ai/sdk")),
    "",
  ].join("\n");
}

function callTable(results: DialectResult[]): string[] {
  const rows = results.map(({ call, commands, ...times }) =>
    row([call.dialect, call.command, String(commands), call.nearest, comparisonCell(times)]),
  );
  return [
    ...tableHead(["dialect", "command", "server commands", "nearest of the unified tool", "time against it"]),
    ...rows,
  ];
}

function folderTable({ results, kept }: DirectoryMeasured, version: string): string[] {
  return [
    ...tableHead(["command", `time against \`BetaLocalFilesystemMemoryTool\` of \`@anthropic-ai/sdk\` ${version}`]),
    ...results.map(({ command, ...times }) => row([command, comparisonCell(times)])),
    "",
    `Of 50 \`str_replace\` of one file at once, ${kept.ours} are in the file afterwards here, ${kept.theirs} there.`,
  ];
}
