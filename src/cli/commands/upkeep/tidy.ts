import { Option } from "commander";
import type { TidyFinding } from "../../../tidy/finding.js";
import { anyNumber, numberOption, type Report } from "../../command.js";
import { memoryCommand } from "../../memory-command.js";
import { checkPatterns, memoryOptions } from "../../targets/target-options.js";
import { countText } from "../../../core/display/count-text.js";
import type { Output } from "../../terminal/output.js";

export const tidy = memoryCommand<{ maxChars: number; ignore?: string[] }>({
  usage: "tidy",
  description:
    "Find duplicates, dead links and stale notes. Also finds empty and large files, and hidden characters. It " +
    "changes nothing.",
  examples: ["tidy --node assistant", 'tidy --node assistant --ignore "/drafts/**" --json'],
  options: [
    numberOption(
      "--max-chars <number>",
      "a file with more characters is large",
      [1, anyNumber],
      "is not a number of characters",
    ).default(4000),
    new Option("--ignore <pattern...>", "paths to leave out (default: directories named conversations or archive)"),
    ...memoryOptions,
  ],
  access: "read",
  check: ({ ignore }) => checkPatterns("--ignore", ignore),
  run: async ({ memory }, { maxChars, ignore }, { out }): Promise<Report> => {
    const { tidy: findFaults } = await import("../../../tidy/tidy.js");
    const findings = await findFaults(memory, { maxChars, ...(ignore && { ignore }) });
    const lines = findings.map((finding) => `${formatFinding(finding, out)}\n`);
    return { json: { findings }, text: `${lines.join("")}${countText(findings.length, "finding")}\n` };
  },
});

function formatFinding({ path, line, kind, message }: TidyFinding, out: Output): string {
  const place = `${out.style("magenta", out.foreign(path))}${line === null ? "" : `:${out.style("green", String(line))}`}`;
  return `${place}: ${kind}: ${out.foreign(message)}`;
}
