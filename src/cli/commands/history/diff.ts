import { Option } from "commander";
import { getReadableDiff } from "../../../core/history/optional-methods.js";
import { readOptions } from "../../targets/target-options.js";
import { historyCommand } from "./history-command.js";
import { styleDiff } from "./style-diff.js";

interface DiffInput {
  from: string;
  to?: string;
  patch?: boolean;
}

export const diff = historyCommand<DiffInput>({
  usage: "diff <from> [to]",
  description:
    "Compare the texts of two versions. Without a second version, compare with the file now. Prints nothing if they " +
    "are equal.",
  examples: ["diff 12 --node assistant", "diff 12 17 --patch --node assistant > change.patch"],
  options: [
    new Option("--patch", "print the exact difference, which the program patch applies; --json has it too"),
    ...readOptions,
  ],
  access: "read",
  subject: ({ from, to }) => (to === undefined ? `version ${from}` : `versions ${from} and ${to}`),
  run: async ({ history }, { from, to, patch, json }, { out }) => {
    const isExact = patch === true || json === true;
    const text = await (isExact ? history.diff(from, to) : getReadableDiff(history, from, to));
    return { json: { from, to: to ?? null, diff: text }, text: styleDiff(text, out) };
  },
});
