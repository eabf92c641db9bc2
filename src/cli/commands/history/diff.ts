import { readOptions } from "../../targets/target-options.js";
import { historyCommand } from "./history-command.js";
import { styleDiff } from "./style-diff.js";

export const diff = historyCommand<{ from: string; to?: string }>({
  usage: "diff <from> [to]",
  description:
    "Compare the texts of two versions. Without a second version, compare with the file now. Prints nothing if they " +
    "are equal.",
  examples: ["diff 12 --node assistant", "diff 12 17 --node assistant > change.patch"],
  options: readOptions,
  access: "read",
  subject: ({ from, to }) => (to === undefined ? `version ${from}` : `versions ${from} and ${to}`),
  run: async ({ history }, { from, to }, { out }) => {
    const text = await history.diff(from, to);
    return { json: { from, to: to ?? null, diff: text }, text: styleDiff(text, out) };
  },
});
