import { z } from "zod";
import { invalid } from "../values/errors.js";
import { checkOptions } from "../settings/check-options.js";
import { normalizePath, ROOT } from "../values/paths.js";

/** Where to search, and how much to return. */
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
  /** The passage, without white space around it. */
  text: string;
  /** More is better. Scores of different queries, and of different memories, cannot be compared exactly. */
  score: number;
}

/** What `grep` looks for: a literal text, or a regular expression. */
export type GrepPattern = string | { regex: string };

/** Where to look, and how. */
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

export type CheckedSearch = Required<{ [Name in keyof SearchOptions]: NonNullable<SearchOptions[Name]> }> & {
  query: string;
};
export type CheckedGrep = Required<{ [Name in keyof GrepOptions]: NonNullable<GrepOptions[Name]> }> & {
  pattern: GrepPattern;
};

export const maxSearchHits = 1000;
export const maxGrepMatches = 100_000;
const maxQueryChars = 10_000;
const maxRegexChars = 1000;

const path = z.string().optional();
const searchSchema = z
  .object({
    limit: z.number().int().min(1).max(maxSearchHits).optional(),
    path,
    per: z.enum(["passage", "file"]).optional(),
  })
  .strict();
const grepSchema = z
  .object({ path, ignoreCase: z.boolean().optional(), limit: z.number().int().min(1).max(maxGrepMatches).optional() })
  .strict();
const patternSchema = z.object({ regex: z.string() }).strict();

/** By how much a path may exceed the limits. */
type Longer = Pick<NonNullable<Parameters<typeof normalizePath>[1]>, "beyond">;

/** @throws MemoryError EINVAL for a bad query or path, TypeError for bad options */
export function checkSearch(query: string, options: SearchOptions = {}, longer: Longer = {}): CheckedSearch {
  checkOptions("SearchOptions", searchSchema, options);
  checkSought(query, "query", maxQueryChars);
  const { limit = 10, per = "passage" } = options;
  return { query, limit, per, path: normalizePath(options.path ?? ROOT, { ...longer, emptyIsRoot: true }) };
}

/** @throws MemoryError EINVAL for a bad pattern or path, TypeError for bad options */
export function checkGrep(pattern: GrepPattern, options: GrepOptions = {}, longer: Longer = {}): CheckedGrep {
  checkOptions("GrepOptions", grepSchema, options);
  if (typeof pattern === "object" && pattern !== null) {
    checkOptions("the pattern of grep", patternSchema, pattern);
    checkSought(pattern.regex, "regex", maxRegexChars);
  } else {
    checkSought(pattern, "pattern", maxQueryChars);
  }
  const { limit = 100, ignoreCase = false } = options;
  return { pattern, limit, ignoreCase, path: normalizePath(options.path ?? ROOT, { ...longer, emptyIsRoot: true }) };
}

function checkSought(text: unknown, name: string, maxChars: number): void {
  if (typeof text !== "string")
    throw invalid(`${name} must be a string (given ${text === null ? "null" : typeof text})`);
  if (text === "" || text.length > maxChars)
    throw invalid(`${name} must have 1 to ${maxChars} characters (given ${text.length})`);
  if (!text.isWellFormed()) throw invalid(`${name} is not well-formed Unicode (it holds a lone surrogate)`);
}
