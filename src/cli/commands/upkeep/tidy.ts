import { Option } from "commander";
import type { TidyFinding } from "../../../tidy/finding.js";
import { anyNumber, numberOption, type Report } from "../../command.js";
import { usageError } from "../../errors.js";
import { memoryCommand } from "../../memory-command.js";
import { changeOptions, checkPatterns } from "../../targets/target-options.js";
import { countText } from "../../terminal/format.js";
import type { Output } from "../../terminal/output.js";

export const tidy = memoryCommand<{ propose?: boolean; maxChars: number; ignore?: string[] }>({
  usage: "tidy",
  description:
    "Find duplicates, dead links, stale notes, empty and large files, and hidden characters. It changes nothing. With " +
    "--propose it proposes its remedies, and a person decides.",
  examples: [
    "tidy --node assistant",
    "tidy --node assistant --propose",
    'tidy --dir ./memory --ignore "/drafts/**" --json',
  ],
  options: [
    new Option("--propose", "propose the remedies, all in one run"),
    numberOption(
      "--max-chars <number>",
      "a file with more characters is large",
      [1, anyNumber],
      "is not a number of characters",
    ).default(4000),
    new Option("--ignore <pattern...>", "paths to leave out (default: directories named conversations or archive)"),
    ...changeOptions,
  ],
  check: ({ ignore }) => checkPatterns("--ignore", ignore),
  access: ({ propose }) => (propose === true ? "write" : "read"),
  run: async ({ memory, stored }, { propose = false, maxChars, ignore }, { out }): Promise<Report> => {
    if (propose && stored === null)
      throw usageError("--propose needs a memory in MongoDB; a folder keeps no proposals");
    const { tidy: findFaults } = await import("../../../tidy/tidy.js");
    const findings = await findFaults(memory, { propose, maxChars, ...(ignore && { ignore }) });
    const lines = findings.map((finding) => `${formatFinding(finding, out)}\n`);
    return { json: { findings }, text: `${lines.join("")}${countText(findings.length, "finding")}\n` };
  },
});

function formatFinding({ path, line, kind, message, proposal, refused }: TidyFinding, out: Output): string {
  const place = `${out.style("magenta", out.foreign(path))}${line === null ? "" : `:${out.style("green", String(line))}`}`;
  const result = proposal === undefined ? refused && `not proposed: ${refused}` : `proposal ${proposal}`;
  return `${place}: ${kind}: ${out.foreign(message)}${result === undefined ? "" : ` (${out.foreign(result)})`}`;
}
