import type { Command } from "commander";
import { newCommand } from "../command.js";
import type { CliContext } from "../context.js";
import { styledDiff } from "../history/styled-diff.js";
import { aboutHistory, withHistory } from "../history/with-history.js";
import { addMountOption } from "../targets/mount-options.js";
import { addTargetOptions, type TargetOptions } from "../targets/target-options.js";
import { addPagerOption, type PagerOptions, withPager } from "../terminal/pager.js";

interface DiffOptions extends TargetOptions, PagerOptions {}

export function addDiff(program: Command, context: CliContext): void {
  const command = newCommand(
    program,
    "diff <version> [version]",
    "Compare the texts of two versions. Without a second version, compare with the file now. Prints nothing if they are equal.",
    ["diff 12 --node assistant", "diff 12 17 --node assistant > change.patch"],
  );
  addPagerOption(addMountOption(addTargetOptions(command))).action(
    async (from: string, to: string | undefined, options: DiffOptions) => {
      await withHistory(context, options, "read", async ({ history }) => {
        const diff = await aboutHistory(to === undefined ? `version ${from}` : `versions ${from} and ${to}`, () =>
          history.diff(from, to),
        );
        if (options.json) return context.out.json({ ok: true, from, to: to ?? null, diff });
        if (diff !== "") await withPager(context, options, (out) => out.write(styledDiff(diff, out)));
      });
    },
  );
}
