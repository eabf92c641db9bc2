import { runInNewContext } from "node:vm";
import type { Command } from "commander";
import { MemoryError, directoryNotFound } from "../../core/values/errors.js";
import { LiteralSearch } from "../../core/values/literal-search.js";
import { type Line, linesHolding, linesOf, withoutReturn } from "../../core/search/lines.js";
import { shorten } from "../../core/values/text.js";
import type { Memory } from "../../core/memory.js";
import { normalizePath, prefixOf, ROOT } from "../../core/values/paths.js";
import { newCommand } from "../command.js";
import { exitCodes } from "../exit-codes.js";
import { about, usageFault } from "../fault.js";
import type { CliContext } from "../context.js";
import type { Output } from "../terminal/output.js";
import { addMountOption } from "../targets/mount-options.js";
import { withMemory } from "../targets/open-target.js";
import { addTargetOptions, type TargetOptions } from "../targets/target-options.js";

interface GrepOptions extends TargetOptions {
  regex?: boolean;
  ignoreCase?: boolean;
  maxCount?: string;
  json?: boolean;
}

interface Match extends Line {
  /** As a terminal shows it. */
  shown: string;
}

/** What is sought. Either method may take years for some expressions. */
interface Sought {
  linesIn: (text: string) => Iterable<Line>;
  /** What is not a hit at even positions, the hits at odd ones. */
  pieces: (line: string) => string[];
}

interface Wanted {
  maxCount: number;
  shownLine: (line: string) => string;
}

export function addGrep(program: Command, context: CliContext): void {
  const command = newCommand(
    program,
    "grep <pattern> [path]",
    "Find lines that contain a text, in all files, in the files below a directory, or in one file. With --json, it prints an object for each line.",
    [
      'grep "vegetarian" --node assistant',
      'grep -E -i "^todo:" /notes --node assistant',
      "grep milk --dir ./memory --max-count 1",
    ],
  )
    .option("-E, --regex", "the pattern is a regular expression of JavaScript (flag u)")
    .option("-i, --ignore-case", "ignore upper and lower case")
    .option("-m, --max-count <lines>", "at most this many lines of each file");
  addMountOption(addTargetOptions(command)).action(
    async (pattern: string, path: string | undefined, options: GrepOptions) => {
      const sought = parsePattern(pattern, options);
      const { out } = context;
      const isMarked = out.isTerminal && options.json !== true;
      const shownLine = (line: string): string => (isMarked ? highlighted(sought.pieces(line), out) : line);
      const maxCount = parseMaxCount(options.maxCount);
      await withMemory(context, options, "read", async ({ memory }) => {
        let found = false;
        for (const file of await about(path ?? ROOT, () => filesWithin(memory, path ?? ROOT))) {
          const text = await about(file, () => readIfThere(memory, file));
          for (const { line, text: matched, shown } of inTime(file, () =>
            findMatches(text, sought, { maxCount, shownLine }),
          )) {
            found = true;
            await (options.json
              ? out.json({ path: file, line, text: matched })
              : out.line(matchLine(file, line, shown, out)));
          }
        }
        if (!found) context.exitCode = exitCodes.refused;
      });
    },
  );
}

async function filesWithin(memory: Memory, path: string): Promise<string[]> {
  const root = normalizePath(path, { emptyIsRoot: true });
  const { files, directories } = await memory.outline();
  const paths = files.map((file) => file.path).filter((file) => file === root || file.startsWith(prefixOf(root)));
  if (paths.length === 0 && root !== ROOT && !directories.includes(root)) throw directoryNotFound();
  return paths;
}

/** A file may go while others are searched. */
async function readIfThere(memory: Memory, path: string): Promise<string> {
  try {
    return await memory.read(path);
  } catch (error) {
    if (MemoryError.isInstance(error) && error.code === "ENOENT") return "";
    throw error;
  }
}

function findMatches(text: string, sought: Sought, { maxCount, shownLine }: Wanted): Match[] {
  const matches: Match[] = [];
  for (const found of sought.linesIn(text)) {
    matches.push({ ...found, shown: shownLine(found.text) });
    if (matches.length >= maxCount) break;
  }
  return matches;
}

/** Some expressions would take years, and the process could not be interrupted meanwhile. */
const maxSearchMs = 2000;

/** @throws CommandFault EUSAGE */
function inTime<T>(path: string, search: () => T): T {
  try {
    return runInNewContext("search()", { search }, { timeout: maxSearchMs }) as T;
  } catch (error) {
    // Thrown only now, as an expression is compiled where it is first used.
    if (error instanceof SyntaxError)
      throw usageFault(
        "the pattern is too long for a regular expression, which -E and -i make of it; pass a shorter one",
        error,
      );
    if ((error as NodeJS.ErrnoException | null)?.code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error;
    const advice = "pass one with fewer repetitions inside repetitions, such as (a+)+";
    throw usageFault(`the pattern takes more than ${maxSearchMs / 1000} s for ${path}; ${advice}`, error);
  }
}

function matchLine(path: string, line: number, shown: string, out: Output): string {
  return `${out.style("magenta", out.foreign(path))}:${out.style("green", String(line))}:${shown}`;
}

function highlighted(pieces: string[], out: Output): string {
  // Of a million hits most are the same.
  const styledHits = new Map<string, string>();
  const styled = (hit: string): string => {
    const shown = styledHits.get(hit) ?? out.style("red", out.foreign(hit));
    styledHits.set(hit, shown);
    return shown;
  };
  return pieces.map((piece, index) => (index % 2 === 1 ? styled(piece) : piece && out.foreign(piece))).join("");
}

/** @throws CommandFault EUSAGE */
function parsePattern(pattern: string, { regex, ignoreCase }: GrepOptions): Sought {
  if (regex !== true && ignoreCase !== true) return literally(pattern);
  const source = regex === true ? pattern : pattern.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
  try {
    return expressed(new RegExp(source, ignoreCase === true ? "giu" : "gu"));
  } catch (cause) {
    // Which repeats the pattern.
    const reason = `is not a regular expression (${shorten((cause as Error).message, 512)})`;
    throw usageFault(
      `the pattern ${JSON.stringify(shorten(pattern, 64))} ${reason}; leave -E out to search for it as it is`,
      cause,
    );
  }
}

function expressed(expression: RegExp): Sought {
  return {
    *linesIn(text) {
      for (const found of linesOf(text)) if (found.text.search(expression) !== -1) yield found;
    },
    pieces: (line) => piecesBetween(line, expression),
  };
}

function piecesBetween(line: string, expression: RegExp): string[] {
  const pieces: string[] = [];
  let end = 0;
  for (const { 0: hit, index } of line.matchAll(expression)) {
    if (hit === "") continue;
    pieces.push(line.slice(end, index), hit);
    end = index + hit.length;
  }
  return [...pieces, line.slice(end)];
}

function literally(pattern: string): Sought {
  const search = new LiteralSearch(pattern);
  return {
    *linesIn(text) {
      // After its last newline a text has no line.
      const lines = text.endsWith("\n") ? text.slice(0, -1) : text;
      // A line ends before its line end, so that a pattern with a part of one is held against each line.
      const candidates = /[\r\n]/.test(pattern) || text === "" ? linesOf(text) : linesHolding(search, lines);
      for (const { line, text: candidate } of candidates) {
        const found = withoutReturn(candidate);
        if (search.firstIn(found) !== -1) yield { line, text: found };
      }
    },
    pieces: (line) =>
      pattern === "" ? [line] : search.split(line).flatMap((rest, index) => (index === 0 ? [rest] : [pattern, rest])),
  };
}

/** @throws CommandFault EUSAGE */
function parseMaxCount(given: string | undefined): number {
  if (given === undefined) return Infinity;
  if (!/^[1-9]\d{0,8}$/.test(given)) throw usageFault(`--max-count ${given} is not a number of lines; pass one from 1`);
  return Number(given);
}
