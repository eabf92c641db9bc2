import type { Command } from "commander";
import type { MemoryVersion } from "../../core/history/history.js";
import { newCommand } from "../command.js";
import type { CliContext } from "../context.js";
import { exitCodes } from "../exit-codes.js";
import { usageFault } from "../fault.js";
import { versionLine } from "../history/version-text.js";
import { aboutHistory, withHistory } from "../history/with-history.js";
import { addMountOption } from "../targets/mount-options.js";
import { addActorOption, addTargetOptions, type TargetOptions } from "../targets/target-options.js";
import { canAsk, isConfirmed } from "../terminal/confirm.js";
import { countText } from "../terminal/format.js";

interface RedactOptions extends TargetOptions {
  yes?: boolean;
  json?: boolean;
}

export function addRedact(program: Command, context: CliContext): void {
  const command = newCommand(
    program,
    "redact <version...>",
    "Remove text, path, size and hash from versions for good. Keeps who made them and when. It shows the versions, and asks. It refuses the text that a file has " +
      "now: write or delete the file first. If several versions have a text, name all of them.",
    ["redact 12 13 --node assistant", 'redact 12 --node assistant --as "$USER" --yes'],
  ).option("--yes", "do not ask; needed without a terminal");
  addActorOption(addMountOption(addTargetOptions(command))).action(async (given: string[], options: RedactOptions) => {
    const ids = [...new Set(given)];
    const { out, err } = context;
    if (options.yes !== true && !canAsk(context))
      throw usageFault("redact asks before it erases, and there is no terminal to ask on; pass --yes");
    await withHistory(context, options, "change", ({ history }) =>
      aboutHistory(countText(ids.length, "version"), async () => {
        if (options.yes !== true) {
          const versions: MemoryVersion[] = [];
          for (const id of ids) versions.push(await history.read(id));
          for (const version of versions) await err.line(versionLine(version, err));
          if (!(await isConfirmed(`Redact ${countText(ids.length, "version")} for good?`, context))) {
            context.exitCode = exitCodes.refused;
            return err.line("nothing was redacted");
          }
        }
        const redacted = await history.redact(ids);
        return options.json ? out.json({ ok: true, redacted }) : out.line(`redacted ${countText(redacted, "version")}`);
      }),
    );
  });
}
