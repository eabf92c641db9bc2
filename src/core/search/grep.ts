import type * as re2 from "re2js";
import { invalid } from "../values/errors.js";
import { LiteralSearch } from "../values/literal-search.js";
import type { FoundText } from "../tree/snapshot.js";
import type { CallContext } from "../runtime/call.js";
import { compareCodeUnits, shorten } from "../values/text.js";
import { Turns } from "../runtime/turns.js";
import { blocksOf, type Line, linesHolding, linesOf, withoutReturn, withoutReturns } from "./lines.js";
import { isWithin } from "./memory-index.js";
import type { CheckedGrep, GrepMatch } from "./search-options.js";

/** The lines of a text that match. Some do not, and stand for a step of work. */
type MatchLines = (file: FoundText) => Iterable<Line | null>;

/** The lines that match, by path and line. The event loop stays free meanwhile. */
export async function grepTexts(
  texts: readonly FoundText[],
  wanted: CheckedGrep,
  call: CallContext,
): Promise<GrepMatch[]> {
  const matchLines = await matcherFor(wanted);
  const matches: GrepMatch[] = [];
  const turns = new Turns();
  for (const file of texts.filter(isWithin(wanted.path)).toSorted((a, b) => compareCodeUnits(a.path, b.path))) {
    for (const found of matchLines(file)) {
      if (found !== null && matches.push({ path: file.path, line: found.line, text: found.text }) >= wanted.limit)
        return matches;
      if (!turns.isOver()) continue;
      await turns.next();
      call.throwIfAborted();
    }
  }
  return matches;
}

/** @throws MemoryError EINVAL for what is no regular expression */
async function matcherFor({ pattern, ignoreCase }: CheckedGrep): Promise<MatchLines> {
  if (typeof pattern === "object") return matchExpression(await compiled(pattern.regex, ignoreCase));
  // No line holds it, though a text may.
  if (/[\r\n]/.test(pattern)) return () => [];
  return ignoreCase ? matchFolded(pattern) : matchLiteral(pattern);
}

/** How much of a text one step looks through for a literal text. It takes some tenths of a millisecond. */
const literalBlockChars = 65_536;

function matchLiteral(pattern: string): MatchLines {
  const search = new LiteralSearch(pattern);
  return function* ({ content }) {
    for (const { text, firstLine } of blocksOf(content, literalBlockChars)) {
      if (search.firstIn(text) !== -1) yield* cutReturns(linesHolding(search, text, firstLine()));
      yield null;
    }
  };
}

function* cutReturns(lines: Iterable<Line>): Generator<Line> {
  for (const { line, text } of lines) yield { line, text: withoutReturn(text) };
}

/** Lines are folded together: no letter is folded by what stands in another line. */
function matchFolded(pattern: string): MatchLines {
  const search = new LiteralSearch(pattern.toLowerCase());
  return function* ({ content }) {
    for (const { text, firstLine } of blocksOf(content, literalBlockChars)) {
      const folded = text.toLowerCase();
      if (search.firstIn(folded) !== -1) yield* linesFoundIn(text, firstLine(), linesHolding(search, folded));
      yield null;
    }
  };
}

/** The same lines of the text that was folded. */
function* linesFoundIn(text: string, firstLine: number, found: Iterable<Line>): Generator<Line> {
  const lines = linesOf(text, firstLine);
  for (const { line: wanted } of found) {
    for (let next = lines.next(); next.done !== true; next = lines.next()) {
      if (next.value.line !== firstLine + wanted - 1) continue;
      yield next.value;
      break;
    }
  }
}

/**
 * How many steps a line may take: one for each character and instruction, of which most are never made. They take some
 * seconds.
 */
const maxLineSteps = 200_000_000;
/** How much of a text is looked through at once for lines that may match. */
const expressionBlockChars = 4096;
/** Beyond so many instructions a block takes too long for one step. */
const maxBlockInstructions = 500;
/** An expression that matches beyond the ends of lines does so again and again. */
const maxWastedBlocks = 8;
/** Of short lines many are equal, and 15 MB can hold 15 million of them. */
const maxKnownChars = 8;
const maxKnownLines = 10_000;

/**
 * An expression for a line, and one that finds something in lines side by side if one of them matches. Null where none
 * is known.
 */
interface Expressions {
  ofLine: re2.RE2JS;
  ofBlock: re2.RE2JS | null;
}

function matchExpression({ ofLine, ofBlock }: Expressions): MatchLines {
  const instructions = ofLine.programSize();
  const known = new Map<string, boolean>();
  const matches = (path: string, { line, text }: Line): boolean => {
    const before = text.length <= maxKnownChars ? known.get(text) : undefined;
    if (before !== undefined) return before;
    if (text.length * instructions > maxLineSteps) {
      throw invalid(
        `the regular expression is too large for line ${line} of ${path}, which has ${text.length} characters; make it shorter, or search for a text`,
      );
    }
    const isMatch = ofLine.test(text);
    if (text.length <= maxKnownChars && known.size < maxKnownLines) known.set(text, isMatch);
    return isMatch;
  };
  return function* ({ path, content }) {
    let wasted = 0;
    for (const { text, firstLine } of blocksOf(content, expressionBlockChars)) {
      yield null;
      const isTried = ofBlock !== null && wasted < maxWastedBlocks && text.length < 2 * expressionBlockChars;
      if (isTried && !ofBlock.test(withoutReturns(text))) continue;
      let found = 0;
      for (const line of linesOf(text, firstLine())) {
        const isMatch = matches(path, line);
        if (isMatch) found += 1;
        if (isMatch || line.text.length > maxKnownChars) yield isMatch ? line : null;
      }
      if (isTried && found === 0) wasted += 1;
    }
  };
}

let library: Promise<typeof re2> | undefined;

/**
 * JavaScript's own expressions can take years. These take time that grows with the text alone, so they have no
 * look-around and no back-references.
 */
async function compiled(regex: string, ignoreCase: boolean): Promise<Expressions> {
  // A bundler would end with an error where this optional package is not installed, as that of Next.js does.
  library ??= import(/* webpackIgnore: true */ /* turbopackIgnore: true */ "re2js").catch((cause: unknown) => {
    library = undefined;
    throw invalid("a regular expression needs the package re2js, which cannot be loaded: npm install re2js", cause);
  });
  const { RE2JS: Expression } = await library;
  const flags = ignoreCase ? Expression.CASE_INSENSITIVE : 0;
  try {
    const ofLine = Expression.compile(regex, flags);
    const hasBlocks = ofLine.programSize() <= maxBlockInstructions && !boundToLines.test(regex);
    return { ofLine, ofBlock: hasBlocks ? Expression.compile(regex, flags | Expression.MULTILINE) : null };
  } catch (cause) {
    const reason = shorten(cause instanceof Error ? cause.message : String(cause), 200);
    throw invalid(
      `the pattern is not a regular expression of RE2 (${reason}); it has no look-around and no back-references`,
      cause,
    );
  }
}

/**
 * What may match at the start or the end of a line alone, and not inside of a block: `\A`, `\z`, and `^` and `$` where
 * a flag is taken back.
 */
const boundToLines = /\\[Az]|\(\?[a-zA-Z]*-/;
