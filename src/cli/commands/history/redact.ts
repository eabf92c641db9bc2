import { Option } from "commander";
import { exitCodes } from "../../exit-codes.js";
import { usageError } from "../../errors.js";
import { changeOptions } from "../../targets/target-options.js";
import { canConfirm, confirm } from "../../terminal/confirm.js";
import { countText } from "../../terminal/format.js";
import { historyCommand } from "./history-command.js";
import { formatVersion } from "./version-text.js";

export const redact = historyCommand<{ version: string[]; yes?: boolean }>({
  usage: "redact <version...>",
  description:
    "Remove text, path, size and hash from versions for good. Keeps who made them and when. It shows the versions, " +
    "and asks. It refuses the text that a file has now: write or delete the file first. If several versions have a " +
    "text, name all of them.",
  examples: ["redact 12 13 --node assistant", 'redact 12 --node assistant --as "$USER" --yes'],
  options: [new Option("--yes", "do not ask; needed without a terminal"), ...changeOptions],
  access: "write",
  subject: ({ version }) => countText(new Set(version).size, "version"),
  check: ({ yes }, context) => {
    if (yes !== true && !canConfirm(context))
      throw usageError("redact asks before it erases, and there is no terminal to ask on; pass --yes");
  },
  run: async ({ history }, { version, yes }, context) => {
    const ids = [...new Set(version)];
    const { err } = context;
    if (yes !== true) {
      const versions = await Promise.all(ids.map((id) => history.read(id)));
      for (const shown of versions) await err.line(formatVersion(shown, err));
      if (!(await confirm(`Redact ${countText(ids.length, "version")} for good?`, context))) {
        context.exitCode = exitCodes.refused;
        await err.line("nothing was redacted");
        return undefined;
      }
    }
    const redacted = await history.redact(ids);
    return { json: { redacted }, text: `redacted ${countText(redacted, "version")}\n` };
  },
});
