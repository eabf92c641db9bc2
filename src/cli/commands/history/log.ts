import { readOptions } from "../../targets/target-options.js";
import { printEach } from "../../terminal/print-each.js";
import { historyCommand } from "./history-command.js";
import { createFilter, filterOptions, type FilterOptions } from "./version-filter.js";
import { formatVersion } from "./version-text.js";

export const log = historyCommand<FilterOptions>({
  usage: "log [path]",
  description:
    "List the versions of a memory, a directory or a file, newest first. Shows a file under its earlier names too. " +
    "With --json, it prints an object for each version.",
  examples: [
    "log --node assistant",
    "log /notes/today --node assistant --limit 10",
    "log --by-run 1f0c --node assistant --user ada --json",
    "log --since yesterday --node assistant",
  ],
  options: [...filterOptions, ...readOptions],
  access: "read",
  subject: ({ path }, name) => path ?? name,
  check: (input) => void createFilter(input),
  run: async ({ history }, input, context) => {
    const versions = history.list(createFilter(input));
    await printEach(context, input.json, versions, formatVersion, "no version was found");
    return undefined;
  },
});
