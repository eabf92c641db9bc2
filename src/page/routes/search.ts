import { z } from "zod";
import type { Memory } from "../../core/memory.js";
import { findMarks } from "../../core/search/held-words.js";
import { LiteralSearch } from "../../core/values/literal-search.js";
import { shorten } from "../../core/values/text.js";
import type { MemorySummary } from "../../mongodb/memories/addresses/memory-filter.js";
import { addressFields, countField, createFilter, listFields, maxMemoriesOffset } from "../fields.js";
import { openMemory, openTree } from "../page-memory.js";
import { type RouteContext, route } from "../route.js";

const searchFields = {
  query: z.string().min(1).max(1000),
  /** Words are ranked. A text must occur in a line, in any case. */
  kind: z.enum(["words", "text"]).default("words"),
};

type Search = z.output<z.ZodObject<typeof searchFields>>;

/** A part of a text: its start and its end in UTF-16 units. */
type Mark = [start: number, end: number];

interface Hit {
  path: string;
  /** Line number, from 1. For a passage of several lines, the first one. */
  line: number;
  text: string;
  /** The matches in the text, ascending, not overlapping. */
  marks: Mark[];
  /** The score of ranked words. Higher is better. */
  score?: number;
}

/** The most ranked passages in an answer. Lines may be more, because people count them. */
const maxHits = { words: 50, text: 500 } as const;

const searchMemory = route(
  "GET",
  "search",
  z.strictObject({ ...addressFields, ...searchFields }),
  async ({ query, kind, ...address }, context) => {
    const hits = await findHits(openTree(context, address), { query, kind }, maxHits[kind] + 1);
    return { hits: hits.slice(0, maxHits[kind]), more: hits.length > maxHits[kind] };
  },
);

/** Largest number of memories that one answer searches. After `maxSearchMs` the search begins no further memory. */
const maxSearched = 1000;
const maxSearchMs = 2000;
const searchedAtOnce = 4;
const maxHitsEach = 5;

const searchMemoriesSchema = z.strictObject({
  ...listFields,
  ...searchFields,
  offset: countField(0, maxMemoriesOffset),
});

const searchMemories = route(
  "GET",
  "search-memories",
  searchMemoriesSchema,
  async ({ query, kind, offset, named, ...filter }, context) => {
    const { memories } = await context.lists.find(createFilter(filter), named);
    const page = memories.slice(offset, offset + maxSearched);
    const { found, searched } = await searchEach(page, { query, kind }, context);
    const end = offset + searched;
    return { found, searched, next: end < memories.length ? end : null };
  },
);

interface Found {
  found: { memory: MemorySummary; hits: Hit[] }[];
  searched: number;
}

/** Searches as many of the memories as time permits, and at least the first ones. */
async function searchEach(memories: readonly MemorySummary[], search: Search, context: RouteContext): Promise<Found> {
  const end = performance.now() + maxSearchMs;
  const found: Found["found"] = [];
  let searched = 0;
  while (searched < memories.length && (searched === 0 || performance.now() < end)) {
    const next = memories.slice(searched, searched + searchedAtOnce);
    searched += next.length;
    const each = await Promise.all(
      next.map(async (memory) => ({
        memory,
        hits: await findHits(openMemory(context, memory.address), search, maxHitsEach),
      })),
    );
    found.push(...each.filter(({ hits }) => hits.length > 0));
  }
  return { found, searched };
}

async function findHits(memory: Memory, { query, kind }: Search, limit: number): Promise<Hit[]> {
  if (kind === "words") {
    const hits = await memory.search(query, { limit });
    // Context around passages that contain the words. A file without any of the words is similar in meaning.
    const holding = new Set(hits.filter(({ words }) => words.length > 0).map(({ path }) => path));
    const passages = hits.filter(({ path, words }) => words.length > 0 || !holding.has(path));
    return passages.map(({ path, startLine, text, score, words }) => ({
      ...createHit({ path, line: startLine, text }, findMarks(text, words)),
      score,
    }));
  }
  const matches = await memory.grep(query, { ignoreCase: true, limit });
  const locate = createLocator(query);
  return matches.map((match) => createHit(match, locate(match.text)));
}

const maxMarks = 50;

/** Finds each occurrence of a literal text in a line, in any case. */
function createLocator(query: string): (line: string) => Iterable<Mark> {
  const wanted = query.toLowerCase();
  const literal = new LiteralSearch(wanted);
  return function* locate(line) {
    const folded = line.toLowerCase();
    for (let at = literal.firstIn(folded); at !== -1; at = literal.firstIn(folded, at + wanted.length))
      yield [at, at + wanted.length];
  };
}

const maxLineChars = 400;

/** Shows the part of a long text around the first mark, with some text before it. */
function createHit({ path, line, text }: Pick<Hit, "path" | "line" | "text">, found: Iterable<Mark>): Hit {
  const marks = [...found].slice(0, maxMarks);
  if (text.length <= maxLineChars) return { path, line, text, marks };
  const start = Math.max(0, (marks[0]?.[0] ?? 0) - maxLineChars / 4);
  const cut = start > 0 ? "…" : "";
  const excerpt = `${cut}${shorten(text.slice(start, start + 2 * maxLineChars).toWellFormed(), maxLineChars)}`;
  const move = (at: number): number => Math.min(excerpt.length, at - start + cut.length);
  const moved = marks.map(([from, to]): Mark => [move(from), move(to)]);
  return { path, line, text: excerpt, marks: moved.filter(([from, to]) => from < to) };
}

export const searchRoutes = [searchMemory, searchMemories] as const;
