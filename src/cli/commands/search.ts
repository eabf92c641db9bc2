import { type Command, Option } from "commander";
import { directoryNotFound } from "../../core/values/errors.js";
import { linesOf } from "../../core/search/lines.js";
import { maxSearchHits, type SearchHit } from "../../core/search/search-options.js";
import { newCommand } from "../command.js";
import { exitCodes } from "../exit-codes.js";
import { about, storageAdvice, usageFault } from "../fault.js";
import type { CliContext } from "../context.js";
import { addMountOption } from "../targets/mount-options.js";
import { withMemory } from "../targets/open-target.js";
import { addTargetOptions, type TargetOptions } from "../targets/target-options.js";
import type { Output } from "../terminal/output.js";

interface SearchCommandOptions extends TargetOptions {
  path?: string;
  limit: string;
  per: "passage" | "file";
  json?: boolean;
}

export function addSearch(program: Command, context: CliContext): void {
  const command = newCommand(
    program,
    "search <query>",
    "Find the passages that match a query best, in any form of its words. With --json, it prints an object for each passage.",
    [
      'search "what does she eat?" --node assistant',
      "search holidays --path /notes --per file --limit 3 --node assistant",
      "search milk --dir ./memory --json",
    ],
  )
    .option("--path <path>", "search only below this directory, or in this file")
    .option("--limit <number>", "at most this many passages", "10")
    .addOption(
      new Option("--per <what>", "print every passage, or the best one of each file")
        .choices(["passage", "file"])
        .default("passage"),
    );
  addMountOption(addTargetOptions(command)).action(async (query: string, options: SearchCommandOptions) => {
    const { path, per } = options;
    const limit = parseLimit(options.limit);
    const { out } = context;
    await withMemory(context, options, "read", async ({ memory }) => {
      if (path !== undefined) {
        await about(path, async () => {
          if ((await memory.stat(path)) === null) throw directoryNotFound();
        });
      }
      const hits = await about("the query", () => memory.search(query, { path, limit, per }), {
        EINVAL: "pass a question, or some words",
        EIO: storageAdvice,
      });
      for (const hit of hits) await (options.json ? out.json(hit) : out.write(shownLines(hit, out)));
      if (hits.length === 0) context.exitCode = exitCodes.refused;
    });
  });
}

/** As `grep` prints lines, so that the same programs can read them. */
function shownLines({ path, startLine, text }: SearchHit, out: Output): string {
  const place = out.style("magenta", out.foreign(path));
  return Array.from(
    linesOf(text),
    ({ line, text: shown }) => `${place}:${out.style("green", String(startLine + line - 1))}:${out.foreign(shown)}\n`,
  ).join("");
}

/** @throws CommandFault EUSAGE */
function parseLimit(given: string): number {
  if (!/^[1-9]\d{0,3}$/.test(given) || Number(given) > maxSearchHits)
    throw usageFault(`--limit ${given} is not a number of passages; pass one from 1 to ${maxSearchHits}`);
  return Number(given);
}
