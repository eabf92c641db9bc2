import type { Command } from "commander";
import type { BlamedLine } from "../../core/history/history.js";
import { newCommand } from "../command.js";
import type { CliContext } from "../context.js";
import { actorName } from "../history/version-text.js";
import { aboutHistory, withHistory } from "../history/with-history.js";
import { addMountOption } from "../targets/mount-options.js";
import { addTargetOptions, type TargetOptions } from "../targets/target-options.js";
import { addPagerOption, type PagerOptions, withPager } from "../terminal/pager.js";
import type { Output } from "../terminal/output.js";

interface BlameOptions extends TargetOptions, PagerOptions {}

export function addBlame(program: Command, context: CliContext): void {
  const command = newCommand(
    program,
    "blame <path>",
    "Show for each line of a file which version wrote it, when, and who made it. With --json, it prints an object for each line.",
    ["blame /notes/today --node assistant", "blame /notes/today --node assistant --json | grep eggs"],
  );
  addPagerOption(addMountOption(addTargetOptions(command))).action(async (path: string, options: BlameOptions) => {
    await withHistory(context, options, "read", async ({ history }) => {
      const lines = await aboutHistory(path, () => history.blame(path));
      await withPager(context, options, async (out) => {
        const columns = options.json ? [] : columnsOf(lines, out);
        for (const [index, line] of lines.entries())
          await (options.json ? out.json(line) : out.line(`${columns[index]}  ${out.foreign(line.text)}`));
      });
    });
  });
}

/** What stands before each line. */
function columnsOf(lines: readonly BlamedLine[], out: Output): string[] {
  const rows = lines.map(({ version }) => ({
    id: version?.id ?? "-",
    name: version === null ? "" : out.foreign(actorName(version.actor)),
  }));
  const widest = (texts: string[]): number => texts.reduce((width, text) => Math.max(width, text.length), 0);
  const [idWidth, nameWidth] = [widest(rows.map(({ id }) => id)), widest(rows.map(({ name }) => name))];
  return lines.map(({ line, version }, index) => {
    const { id = "", name = "" } = rows[index] ?? {};
    const time = version?.at.toISOString() ?? "";
    const number = String(line).padStart(String(lines.length).length);
    return `${out.style("yellow", id.padEnd(idWidth))}  ${time.padEnd(24)}  ${out.style("dim", name.padEnd(nameWidth))}  ${out.style("green", number)}`;
  });
}
