import { Option } from "commander";
import { splitLines } from "../../../core/search/lines.js";
import { maxSearchHits, type SearchHit } from "../../../core/search/search-options.js";
import { ROOT } from "../../../core/values/paths.js";
import { numberOption } from "../../command.js";
import { about, storageAdvice } from "../../errors.js";
import { memoryCommand } from "../../memory-command.js";
import { readOptions } from "../../targets/target-options.js";
import type { Output } from "../../terminal/output.js";
import { printEach } from "../../terminal/print-each.js";
import { assertPath, formatLine } from "./lines.js";

export const search = memoryCommand<{ query: string; path?: string; limit: number }>({
  usage: "search <query>",
  description:
    "Find the passages that match a query best, in any form of its words. With --json, it prints an object for each " +
    "passage.",
  examples: [
    'search "what does she eat?" --node assistant',
    "search holidays --path /notes --node assistant",
    "search milk --dir ./memory --json",
  ],
  options: [
    new Option("--path <path>", "search only below this directory, or in this file"),
    numberOption(
      "--limit <number>",
      "at most this many passages",
      [1, maxSearchHits],
      `is not a number of passages; pass one from 1 to ${maxSearchHits}`,
    ).default(10),
    ...readOptions,
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
