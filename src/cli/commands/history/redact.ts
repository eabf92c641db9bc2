import { Option } from "commander";
import type { MemoryHistory } from "../../../core/history/history.js";
import type { CliContext } from "../../context.js";
import { usageError } from "../../errors.js";
import { changeOptions } from "../../targets/target-options.js";
import { assertCanConfirm, confirm } from "../../terminal/confirm.js";
import { countText } from "../../terminal/format.js";
import { readText } from "../../terminal/text-input.js";
import { historyCommand } from "./history-command.js";
import { formatVersion } from "./version-text.js";

interface RedactInput {
  version: string[];
  text?: string;
  cut?: boolean;
  yes?: boolean;
}

export const redact = historyCommand<RedactInput>({
  usage: "redact [version...]",
  description:
    "Remove text for good. Keeps who made the versions and when. With --text, it covers the text in every version, " +
    "proposal and vector that holds it. With versions, it removes their text, path, size and hash. It shows what it " +
    "changes, and asks. It refuses the text that a file has now, unless --text goes with --cut.",
  examples: [
    'redact --text "sk-live-4711" --node assistant',
    "redact --text - --cut --node assistant --yes < key.txt",
    "redact 12 13 --node assistant",
  ],
  options: [
    new Option("--text <text>", "the text to remove wherever it is; - reads it from the standard input"),
    new Option("--cut", "with --text: also cover the text in the files as they are now"),
    new Option("--yes", "do not ask; needed without a terminal"),
    ...changeOptions,
  ],
  access: "write",
  subject: ({ version, text }) => (text === undefined ? countText(new Set(version).size, "version") : "a text"),
  check: ({ version, text, cut, yes }, context) => {
    if ((text === undefined) === (version.length === 0))
      throw usageError("redact takes either --text, or the ids of versions, which `log` shows");
    if (cut === true && text === undefined) throw usageError("--cut goes with --text");
    if (yes === true) return;
    if (text === "-") throw usageError("redact asks before it erases, and --text - takes the terminal; pass --yes");
    assertCanConfirm("redact", "--yes", context);
  },
  run: async ({ history }, { version, text, cut = false, yes }, context) => {
    const what = text === undefined ? [...new Set(version)] : { text: await readSecret(text, context), cut };
    if (yes !== true && !(await isConfirmed(history, what, context))) return undefined;
    const redacted = await history.redact(what);
    return { json: { redacted }, text: `redacted ${countText(redacted, "version")}\n` };
  },
});

/** A file ends with a newline that is no part of the secret. */
async function readSecret(text: string, { io }: CliContext): Promise<string> {
  return text === "-" ? (await readText(text, io.stdin)).replace(/\r?\n$/, "") : text;
}

async function isConfirmed(
  history: MemoryHistory,
  what: string[] | { text: string; cut: boolean },
  context: CliContext,
): Promise<boolean> {
  const { err } = context;
  if (Array.isArray(what)) {
    const versions = await Promise.all(what.map((id) => history.read(id)));
    for (const shown of versions) await err.line(formatVersion(shown, err));
    return confirm(`Redact ${countText(what.length, "version")} for good?`, "redacted", context);
  }
  const { versions, proposals, files } = await history.findText(what.text);
  for (const shown of versions) await err.line(formatVersion(shown, err));
  for (const id of proposals) await err.line(`proposal ${id}`);
  for (const path of files) await err.line(`present file ${err.foreign(path)}`);
  const places = [countText(versions.length, "version"), countText(proposals.length, "proposal")];
  if (what.cut) places.push(countText(files.length, "present file"));
  return confirm(`Redact the text in ${places.join(", ")} for good?`, "redacted", context);
}
