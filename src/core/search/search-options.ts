import { z } from "zod";
import { invalid } from "../values/errors.js";
import { checkText } from "../values/text.js";
import { checkOptions, countField } from "../settings/check-options.js";
import { normalizePath, type PathLength, ROOT } from "../values/paths.js";

/** The part of the memory to search, and the number and kind of hits. */
export interface SearchOptions {
  /** The largest number of hits: a whole number from 1 to 1,000. @default 10 */
  limit?: number | undefined;
  /** A directory or a file. A missing path finds nothing. @default "/" */
  path?: string | undefined;
  /** Whether to return every passage, or the best one of each file. @default "passage" */
  per?: "passage" | "file" | undefined;
}

/** A passage that was found. */
export interface SearchHit {
  path: string;
  /** From 1. */
  startLine: number;
  /** The last line of the passage. */
  endLine: number;
  /**
   * The passage, with the white space before it in its line. A piece of a long line begins with the speaker of the line
   * and `…`, as in `User: …`, or with the character before it.
   */
  text: string;
  /** A higher score is better. Scores of different queries, and of different memories, cannot be compared exactly. */
  score: number;
}

/** The part of the memory to look in, and the comparison. */
export interface GrepOptions {
  /** A directory or a file. A missing path finds nothing. @default "/" */
  path?: string | undefined;
  /** Whether to ignore upper and lower case. @default false */
  ignoreCase?: boolean | undefined;
  /** The largest number of lines: a whole number from 1 to 100,000. @default 100 */
  limit?: number | undefined;
}

/** A line that `grep` has found. */
export interface GrepMatch {
  path: string;
  /** From 1. */
  line: number;
  /** The line, without its end. */
  text: string;
}

export const maxSearchHits = 1000;
export const maxGrepMatches = 100_000;
const maxQueryChars = 10_000;

const path = z.string().default(ROOT);
const searchSchema = z.strictObject({
  limit: countField.max(maxSearchHits).default(10),
  path,
  per: z.enum(["passage", "file"]).default("passage"),
});
const grepSchema = z.strictObject({
  path,
  ignoreCase: z.boolean().default(false),
  limit: countField.max(maxGrepMatches).default(100),
});

export type CheckedSearch = z.output<typeof searchSchema> & { query: string };
export type CheckedGrep = z.output<typeof grepSchema> & { pattern: string };

/** @throws MemoryError EINVAL for a bad query or path, TypeError for bad options */
export function checkSearch(query: string, options: SearchOptions = {}, extraPathLength?: PathLength): CheckedSearch {
  const checked = checkOptions("SearchOptions", searchSchema, options);
  checkQuery(query, "query");
  return { ...checked, query, path: normalizePath(checked.path, { emptyIsRoot: true, extraPathLength }) };
}

/** @throws MemoryError EINVAL for a bad pattern or path, TypeError for bad options */
export function checkGrep(pattern: string, options: GrepOptions = {}, extraPathLength?: PathLength): CheckedGrep {
  const checked = checkOptions("GrepOptions", grepSchema, options);
  checkQuery(pattern, "pattern");
  return { ...checked, pattern, path: normalizePath(checked.path, { emptyIsRoot: true, extraPathLength }) };
}

function checkQuery(text: unknown, name: string): void {
  checkText(text, name);
  if (text === "" || text.length > maxQueryChars)
    throw invalid(`${name} must have 1 to ${maxQueryChars} characters (given ${text.length})`);
}
