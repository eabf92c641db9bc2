import type { Command } from "commander";
import type { MemoryVersion } from "../../core/history/history.js";
import { newCommand } from "../command.js";
import type { CliContext } from "../context.js";
import { exitCodes } from "../exit-codes.js";
import { addFilterOptions, type FilterOptions, versionFilter } from "../history/version-filter.js";
import { versionLine } from "../history/version-text.js";
import { aboutHistory, withHistory } from "../history/with-history.js";
import { addMountOption } from "../targets/mount-options.js";
import { addTargetOptions, type TargetOptions } from "../targets/target-options.js";
import { addPagerOption, type PagerOptions, withPager } from "../terminal/pager.js";

interface LogOptions extends TargetOptions, FilterOptions, PagerOptions {}

export function addLog(program: Command, context: CliContext): void {
  const command = newCommand(
    program,
    "log [path]",
    "List the versions of a memory, a directory or a file, newest first. Shows a file under its earlier names too. With --json, it prints an object for each version.",
    [
      "log --node assistant",
      "log /notes/today --node assistant --limit 10",
      "log --by-run 1f0c --node assistant --user ada@example.com --json",
      "log --since 2026-01-31 --operation deleted --node assistant",
    ],
  );
  addPagerOption(addMountOption(addTargetOptions(addFilterOptions(command)))).action(
    async (path: string | undefined, options: LogOptions) => {
      const filter = versionFilter(path, options);
      await withHistory(context, options, "read", ({ history, name }) =>
        aboutHistory(path ?? name, async () => {
          const versions = history.list(filter)[Symbol.asyncIterator]();
          const newest = await versions.next();
          if (newest.done === true) {
            await context.err.line("no version was found");
            context.exitCode = exitCodes.refused;
            return;
          }
          await withPager(context, options, async (out) => {
            const print = (version: MemoryVersion): Promise<void> =>
              options.json ? out.json(version) : out.line(versionLine(version, out));
            for (let next: IteratorResult<MemoryVersion> = newest; next.done !== true; next = await versions.next())
              await print(next.value);
          });
        }),
      );
    },
  );
}
