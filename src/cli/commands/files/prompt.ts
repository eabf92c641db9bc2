import { Option } from "commander";
import type { MountOutline } from "../../../core/mounts/mounted-outlines.js";
import { pickDefined } from "../../../core/settings/pick-defined.js";
import { checkMemoryFilter } from "../../../mongodb/admin/checks.js";
import type { MemoryContent } from "../../../prompt/connector-options.js";
import type { MemoryExplanation } from "../../../prompt/explain.js";
import { numberOption } from "../../command.js";
import { memoryCommand } from "../../memory-command.js";
import { openMemoryIn } from "../../targets/open-target.js";
import { memoryOptions } from "../../targets/target-options.js";
import type { Output } from "../../terminal/output.js";

export const prompt = memoryCommand<{ question?: string; content?: MemoryContent; maxChars?: number }>({
  usage: "prompt",
  description:
    "Show what a model sees of a memory, and why it does not see the rest. It uses the defaults of a connector, because " +
    "it does not know yours.",
  examples: ['prompt --question "Where do I live?" --node assistant', "prompt --node assistant --user ada --json"],
  options: [
    new Option("--question <text>", "the message of the user (default: none, so that the newest lines are shown)"),
    new Option("--content <form>", 'what is shown (default: "auto" with a log, otherwise "tree")').choices([
      "tree",
      "index",
      "full",
      "auto",
    ]),
    numberOption(
      "--max-chars <number>",
      "the longest text, in characters (default: 4000)",
      [1, 200_000],
      "is not a number of characters; pass one from 1 to 200000",
    ),
    ...memoryOptions,
  ],
  access: "read",
  missing: "allow",
  run: async ({ memory, database, address }, { question = "", content, maxChars }, { out }) => {
    // In the built package their file loads LangChain, which the other commands do without.
    const { explainPrompt } = await import("../../../prompt/explain.js");
    const shown = await import("../../../prompt/shown-memory.js");
    const { createForm, findLogPath, readAtRoot, readToShow, showMemories } = shown;
    const { nodeId, scope } = address;
    const global = openMemoryIn(database, { nodeId, scope: "global" }, { access: "read" }).memory;
    const explanation = await explainPrompt(
      async () => {
        const asked = { question, logPath: await findLogPath(memory) };
        const form = { ...createForm(null, asked), ...pickDefined({ content, maxChars }) };
        const read = (): Promise<MountOutline> => readAtRoot(global, memory, form);
        const shared = scope === "global" ? null : { scope, isOwnerMissing: false, read };
        return showMemories(await readToShow(memory, form), shared, form);
      },
      (filter) => database.summaries(checkMemoryFilter(filter)),
    );
    return { json: explanation, text: formatExplanation(explanation, out) };
  },
});

function formatExplanation({ parts, shown, leftOut }: MemoryExplanation, out: Output): string {
  const passages = shown.map(({ path, startLine, endLine, score }) => {
    const lines = startLine === endLine ? String(startLine) : `${startLine}-${endLine}`;
    return `${formatPath(path, out)}:${lines}${score === null ? "" : `  score ${score.toFixed(2)}`}`;
  });
  const reasons = leftOut.map(({ path, reason, message }) => {
    const where = path === undefined ? "" : `${formatPath(path, out)}: `;
    return `${out.style("yellow", reason)}  ${where}${out.foreign(message)}`;
  });
  const sections = [
    ...parts.map((part) => out.foreign(part)),
    ...(passages.length === 0 ? [] : [[out.style("bold", "Shown:"), ...passages].join("\n")]),
    ...(reasons.length === 0 ? [] : [[out.style("bold", "Left out:"), ...reasons].join("\n")]),
  ];
  return sections.map((section) => `${section}\n`).join("\n");
}

function formatPath(path: string, out: Output): string {
  return out.style("magenta", out.foreign(path));
}
