import type * as re2 from "re2js";
import { errorOnPaths } from "../values/error-paths.js";
import { invalid } from "../values/errors.js";
import { LiteralSearch } from "../values/literal-search.js";
import type { FileText } from "../tree/snapshot.js";
import type { CallContext } from "../runtime/call.js";
import { mergeSort } from "../runtime/sort-in-turns.js";
import { runInTurns, type Steps } from "../runtime/turns.js";
import { comparePaths, shorten } from "../values/text.js";
import { type Line, splitLines } from "./lines.js";
import { isWithin } from "./word-index.js";
import type { CheckedGrep, GrepMatch } from "./search-options.js";

/** The test of a line: for a text, or for a regular expression. */
interface LineTest {
  /** The most steps that a character can take. */
  stepsPerChar: number;
  isMatch(line: Line, path: string): boolean;
}

/** Number of steps after which work yields. They take less than a millisecond. */
const stepsPerYield = 50_000;
/** Steps of a line, in addition to those of its characters. */
const stepsPerLine = 20;

/** Finds the lines that match, by path and line. Yields to the event loop meanwhile. */
export async function grepTexts(
  texts: readonly FileText[],
  grep: CheckedGrep,
  call: CallContext,
): Promise<GrepMatch[]> {
  return runInTurns(findMatches(texts, grep, await createTest(grep)), call);
}

function* findMatches(texts: readonly FileText[], { path, limit }: CheckedGrep, test: LineTest): Steps<GrepMatch[]> {
  const matches: GrepMatch[] = [];
  let steps = 0;
  const files = texts.filter(isWithin(path));
  for (const file of yield* mergeSort(files, comparePaths)) {
    for (const line of splitLines(file.content)) {
      if (test.isMatch(line, file.path) && matches.push({ path: file.path, ...line }) >= limit) return matches;
      steps += test.stepsPerChar * line.text.length + stepsPerLine;
      if (steps < stepsPerYield) continue;
      yield;
      steps = 0;
    }
  }
  return matches;
}

/** @throws MemoryError EINVAL if the pattern is no regular expression */
async function createTest({ pattern, ignoreCase }: CheckedGrep): Promise<LineTest> {
  if (typeof pattern === "object") return testExpression(await compile(pattern.regex, ignoreCase));
  const search = new LiteralSearch(ignoreCase ? pattern.toLowerCase() : pattern);
  // No line contains a line end.
  const canMatch = !/[\r\n]/.test(pattern);
  const isMatch = ({ text }: Line): boolean =>
    canMatch && search.firstIn(ignoreCase ? text.toLowerCase() : text) !== -1;
  return { stepsPerChar: 1, isMatch };
}

/**
 * The most steps that a line may need: one for each character and instruction. Most of them are never made; all of them
 * would take some seconds.
 */
const maxLineSteps = 200_000_000;

function testExpression(expression: re2.RE2JS): LineTest {
  const instructions = expression.programSize();
  const isMatch = ({ line, text }: Line, path: string): boolean => {
    if (text.length * instructions > maxLineSteps)
      throw errorOnPaths(
        "EINVAL",
        (place) =>
          `the regular expression is too large for line ${line} of ${place(path)}, which has ${text.length} ` +
          "characters; make it shorter, or search for a text",
      );
    return expression.test(text);
  };
  return { stepsPerChar: instructions, isMatch };
}

let library: Promise<typeof re2> | undefined;

/**
 * The time of a JavaScript expression can grow exponentially with the text. The time of these expressions grows in
 * proportion to the text, so they have no look-around and no back-references.
 */
async function compile(regex: string, ignoreCase: boolean): Promise<re2.RE2JS> {
  // Without these marks, a bundler such as that of Next.js fails if this optional package is not installed.
  library ??= import(/* webpackIgnore: true */ /* turbopackIgnore: true */ "re2js").catch((cause: unknown) => {
    library = undefined;
    throw invalid("a regular expression needs the package re2js, which cannot be loaded: npm install re2js", cause);
  });
  const { RE2JS: Expression } = await library;
  try {
    return Expression.compile(regex, ignoreCase ? Expression.CASE_INSENSITIVE : 0);
  } catch (cause) {
    const reason = shorten(cause instanceof Error ? cause.message : String(cause), 200);
    throw invalid(
      `the pattern is not a regular expression of RE2 (${reason}); it has no look-around and no back-references`,
      cause,
    );
  }
}
