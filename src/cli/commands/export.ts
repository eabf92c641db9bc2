import { type Command, Option } from "commander";
import { exportToFolder, type ExportCounts } from "../archive/folder-archive.js";
import { exportToJsonl, writeWholeFile } from "../archive/jsonl-archive.js";
import { type OpenTree, readTree, readTreeWithHistory, type Tree } from "../archive/tree.js";
import { newCommand } from "../command.js";
import { about, usageFault } from "../fault.js";
import { countText } from "../terminal/format.js";
import type { CliContext } from "../context.js";
import { memoryIn, withDatabase, withMemory } from "../targets/open-target.js";
import { visibleJson } from "../terminal/visible.js";
import { type Progress, withProgress } from "../terminal/progress.js";
import {
  addTargetOptions,
  databaseOf,
  memoryFlags,
  refuseFlags,
  type TargetOptions,
} from "../targets/target-options.js";

interface ExportOptions extends TargetOptions {
  all?: boolean;
  format?: "folder" | "jsonl";
  overwrite?: boolean;
  history?: boolean;
  json?: boolean;
}

export function addExport(program: Command, context: CliContext): void {
  const command = newCommand(
    program,
    "export <to>",
    "Save a memory, or all memories of a database. Writes a folder with a manifest, or JSONL to a file or to the standard output (-). " +
      "If it is interrupted, run it again. With -, the summary goes to the standard error.",
    [
      "export ./backup --node assistant --user ada@example.com",
      "export ./backup --all",
      "export memory.jsonl --dir ./memory",
      "export - --all | gzip > memories.jsonl.gz",
    ],
  )
    .option("--all", "all memories of the database, instead of --node")
    .addOption(
      new Option(
        "--format <name>",
        "the form of the export (default: jsonl for - and names that end in .jsonl, else folder)",
      ).choices(["folder", "jsonl"]),
    )
    .option("--history", "also save the versions of the files")
    .option("--overwrite", "replace the file, or update the export in the folder");
  addTargetOptions(command).action(async (to: string, options: ExportOptions) => {
    const format = chooseFormat(to, options.format);
    const counts = await withProgress(context, (progress) =>
      withTrees(context, options, (trees) => exportTo(to, format, trees, { ...options, progress, context })),
    );
    await report(counts, to, options, context);
  });
}

/** @throws CommandFault EUSAGE */
function chooseFormat(to: string, given: ExportOptions["format"]): "folder" | "jsonl" {
  if (to === "-" && given === "folder")
    throw usageFault("a folder cannot go to the standard output; pass --format jsonl, or name a folder");
  return given ?? (to === "-" || to.endsWith(".jsonl") ? "jsonl" : "folder");
}

function withTrees<T>(
  context: CliContext,
  options: ExportOptions,
  run: (trees: AsyncIterable<Tree>) => Promise<T>,
): Promise<T> {
  const read = options.history === true ? readTreeWithHistory : readTree;
  if (options.all !== true)
    return withMemory(context, options, "read", (open) => run(one(() => about(open.name, () => read(open)))));
  refuseFlags(options, memoryFlags, "does not go with --all; leave one of the two out");
  return withDatabase(databaseOf(options, context.io.env), (database) => {
    async function* trees(): AsyncGenerator<Tree> {
      for await (const address of database.addresses())
        yield* one(() => read(memoryIn(database, address, { access: "read", paths: "posix" })));
    }
    return about("the database", () => run(trees()));
  });
}

/** Closed when the next one is asked for, or none is any more. */
async function* one(read: () => Promise<OpenTree>): AsyncGenerator<Tree> {
  const tree = await read();
  try {
    yield tree;
  } finally {
    await tree.close();
  }
}

interface Export {
  all?: boolean;
  overwrite?: boolean;
  history?: boolean;
  progress: Progress;
  context: CliContext;
}

async function exportTo(
  to: string,
  format: "folder" | "jsonl",
  trees: AsyncIterable<Tree>,
  { all = false, overwrite = false, history = false, progress, context }: Export,
): Promise<ExportCounts> {
  let total = 0;
  progress.start(0, "files");
  const onTree = (files: number): void => progress.setTotal((total += files));
  const onFile = (): void => progress.step();
  if (format === "folder") return exportToFolder(trees, to, { overwrite, many: all, history, onTree, onFile });
  if (to === "-")
    return exportToJsonl(trees, (text) => context.out.write(visibleJson(text)), { onTree, onFile, history });
  return writeWholeFile(to, overwrite, (write) => exportToJsonl(trees, write, { onTree, onFile, history }));
}

async function report(
  { memories, written, unchanged, versions }: ExportCounts,
  to: string,
  { json, history }: ExportOptions,
  { out, err }: CliContext,
): Promise<void> {
  const stream = to === "-" ? err : out;
  if (json)
    await stream.json({
      ok: true,
      memories,
      files: written + unchanged,
      written,
      unchanged,
      ...(history && { versions }),
    });
  else if (to !== "-" || err.isTerminal) {
    const already = unchanged === 0 ? "" : `, ${countText(unchanged, "file")} there already`;
    const withVersions = history === true ? `, ${countText(versions, "version")}` : "";
    await stream.line(
      `exported ${countText(memories, "memory")}: ${countText(written, "file")} written${already}${withVersions}`,
    );
  }
}
