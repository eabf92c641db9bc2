import { Option } from "commander";
import { type OpenTree, readTree, readTreeWithHistory, type Tree } from "../../archive/tree.js";
import { type ExportCounts, writeArchive, writeArchiveFile } from "../../archive/write-archive.js";
import { createCommand, type Report } from "../../command.js";
import type { CliContext } from "../../context.js";
import { about } from "../../errors.js";
import { openMemoryIn, withDatabase, withMemory } from "../../targets/open-target.js";
import { memoryFlags, refuseOptions, targetOptions, type TargetOptions } from "../../targets/target-options.js";
import { getDatabaseTarget } from "../../targets/targets.js";
import { countText } from "../../terminal/format.js";
import { withProgress } from "../../terminal/progress.js";
import { visibleJson } from "../../terminal/visible.js";

interface ExportOptions extends TargetOptions {
  file: string;
  all?: boolean;
  overwrite?: boolean;
  history?: boolean;
  json?: boolean;
}

export const exportMemories = createCommand<ExportOptions>({
  usage: "export <file>",
  description:
    "Save a memory, or all memories of a database, as JSONL in a file or on the standard output (-). " +
    "The file appears when it is complete. With -, the summary goes to the standard error.",
  examples: [
    "export assistant.jsonl --node assistant --user ada",
    "export memories.jsonl --all",
    "export memory.jsonl --dir ./memory",
    "export - --all | gzip > memories.jsonl.gz",
  ],
  options: [
    new Option("--all", "all memories of the database, instead of --node"),
    new Option("--history", "also save the versions of the files"),
    new Option("--overwrite", "replace the file"),
    ...targetOptions,
  ],
  run: async (input, context) => {
    const { file, overwrite = false } = input;
    const { out, err } = context;
    const counts = await withProgress(err, "files", (progress) =>
      withTrees(input, context, (trees) =>
        file === "-"
          ? writeArchive(trees, (text) => out.write(visibleJson(text)), progress)
          : writeArchiveFile(trees, file, overwrite, progress),
      ),
    );
    const report = reportExport(counts, input);
    if (file !== "-") return report;
    if (input.json) await err.json({ ok: true, ...report.json });
    else if (err.isTerminal) await err.write(report.text ?? "");
    return undefined;
  },
});

function withTrees<T>(
  input: ExportOptions,
  context: CliContext,
  run: (trees: AsyncIterable<Tree>) => Promise<T>,
): Promise<T> {
  const read = input.history === true ? readTreeWithHistory : readTree;
  if (input.all !== true)
    return withMemory(context, input, { access: "read" }, (open) =>
      run(yieldTree(() => about(open.name, () => read(open)))),
    );
  refuseOptions(input, memoryFlags, "does not go with --all; leave one of the two out");
  return withDatabase(getDatabaseTarget(input, context.io.env), (database) => {
    async function* yieldTrees(): AsyncGenerator<Tree> {
      for await (const address of database.addresses())
        yield* yieldTree(() => read(openMemoryIn(database, address, { access: "read", paths: "posix" })));
    }
    return about("the database", () => run(yieldTrees()));
  });
}

/** Closed when the next one is requested, or no more is. */
async function* yieldTree(read: () => Promise<OpenTree>): AsyncGenerator<Tree> {
  const tree = await read();
  try {
    yield tree;
  } finally {
    await tree.close();
  }
}

function reportExport({ memories, files, versions }: ExportCounts, { history }: ExportOptions): Report {
  const withVersions = history === true ? `, ${countText(versions, "version")}` : "";
  return {
    json: { memories, files, ...(history === true && { versions }) },
    text: `exported ${countText(memories, "memory")}: ${countText(files, "file")} written${withVersions}\n`,
  };
}
