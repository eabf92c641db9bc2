import { Option } from "commander";
import type { Memory } from "../../../core/memory.js";
import { splitLines } from "../../../core/search/lines.js";
import { maxGrepMatches, maxSearchHits, type SearchHit } from "../../../core/search/search-options.js";
import { directoryNotFound } from "../../../core/values/errors.js";
import { ROOT } from "../../../core/values/paths.js";
import { numberOption } from "../../command.js";
import { about, storageAdvice } from "../../errors.js";
import { memoryCommand } from "../../memory-command.js";
import { memoryOptions } from "../../targets/target-options.js";
import { countText } from "../../../core/display/count-text.js";
import type { Output } from "../../terminal/output.js";
import { printEach } from "../../terminal/print-each.js";

export const grep = memoryCommand<{ pattern: string; path?: string; ignoreCase?: boolean }>({
  usage: "grep <pattern> [path]",
  description:
    "Find lines that contain a text. Searches all files, the files below a directory, or one file. With --json, it " +
    "prints an object for each line.",
  examples: ['grep "vegetarian" --node assistant', 'grep -i "todo:" /notes --node assistant'],
  options: [new Option("-i, --ignore-case", "ignore upper and lower case"), ...memoryOptions],
  access: "read",
  run: async ({ memory }, { pattern, path = ROOT, ignoreCase, json }, context) => {
    await assertPath(memory, path);
    const options = { path, ignoreCase, limit: maxGrepMatches };
    const matches = await about("the pattern", () => memory.grep(pattern, options), {
      EINVAL: "pass a text of one line",
      EIO: storageAdvice,
    });
    await printEach(context, json, matches, formatLine);
    if (matches.length === maxGrepMatches)
      await context.err.note(`only the first ${countText(maxGrepMatches, "line")} are shown`, json === true);
    return undefined;
  },
});

export const search = memoryCommand<{ query: string; path?: string; limit: number }>({
  usage: "search <query>",
  description:
    "Find the passages that match a query best. The words may have any form. With --json, it prints an object for " +
    "each passage.",
  examples: [
    'search "what does she eat?" --node assistant',
    "search holidays --path /notes --node assistant",
    "search milk --node assistant --json",
  ],
  options: [
    new Option("--path <path>", "search only below this directory, or in this file"),
    numberOption(
      "--limit <number>",
      "at most this many passages",
      [1, maxSearchHits],
      `is not a number of passages; pass one from 1 to ${maxSearchHits}`,
    ).default(10),
    ...memoryOptions,
  ],
  access: "read",
  run: async ({ memory }, { query, path = ROOT, limit, json }, context) => {
    await assertPath(memory, path);
    const hits = await about("the query", () => memory.search(query, { path, limit }), {
      EINVAL: "pass a question, or some words",
      EIO: storageAdvice,
    });
    await printEach(context, json, hits, formatHit);
    return undefined;
  },
});

/** Formats a hit like lines of `grep`, so that the same programs can read the output. */
function formatHit({ path, startLine, text }: SearchHit, out: Output): string {
  const lines = Array.from(splitLines(text), ({ line, text: shown }) =>
    formatLine({ path, line: startLine + line - 1, text: shown }, out),
  );
  return lines.join("\n");
}

/**
 * Refuses a missing path, because it may be mistyped and a search would just find nothing. @throws MemoryError ENOENT
 */
async function assertPath(memory: Memory, path: string): Promise<void> {
  if (path !== ROOT && (await memory.stat(path)) === null) throw directoryNotFound();
}

/** Formats a line like other grep programs. */
function formatLine({ path, line, text }: { path: string; line: number; text: string }, out: Output): string {
  return `${out.style("magenta", out.foreign(path))}:${out.style("green", String(line))}:${out.foreign(text)}`;
}
