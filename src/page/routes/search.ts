import { z } from "zod";
import type { Memory } from "../../core/memory.js";
import { LiteralSearch } from "../../core/values/literal-search.js";
import { shorten } from "../../core/values/text.js";
import type { MemorySummary } from "../../mongodb/memories/addresses/memory-filter.js";
import { addressFields, countField, listFields, maxMemoriesOffset } from "../fields.js";
import { findMemories } from "../find-memories.js";
import { openMemory, openTree } from "../page-memory.js";
import { type RouteContext, route } from "../route.js";

const searchFields = {
  query: z.string().min(1).max(1000),
  /** Words are ranked. A text must occur in a line, in any case. */
  kind: z.enum(["words", "text"]).default("words"),
};

type Search = z.output<z.ZodObject<typeof searchFields>>;

interface Hit {
  path: string;
  /** Line number, from 1. For a passage of several lines, the first one. */
  line: number;
  /** The passage or the line. If it is long, the part around the first match. */
  text: string;
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
  offset: countField(maxMemoriesOffset),
});

const searchMemories = route(
  "GET",
  "search-memories",
  searchMemoriesSchema,
  async ({ query, kind, offset, ...list }, context) => {
    const { page, more } = await findMemories(context.memories, list, offset, maxSearched);
    const { found, searched } = await searchEach(page, { query, kind }, context);
    const end = offset + searched;
    const hasNext = (more || searched < page.length) && end <= maxMemoriesOffset;
    return { found, searched, next: hasNext ? end : null };
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
    return hits.map(({ path, startLine, text, score }) => ({
      path,
      line: startLine,
      text: takeAround(text, 0),
      score,
    }));
  }
  const literal = new LiteralSearch(query.toLowerCase());
  const lines = await memory.grep(query, { ignoreCase: true, limit });
  return lines.map(({ path, line, text }) => ({
    path,
    line,
    text: takeAround(text, literal.firstIn(text.toLowerCase())),
  }));
}

const maxHitChars = 1000;
const maxCharsBefore = 100;

function takeAround(text: string, match: number): string {
  const start = text.length > maxHitChars ? Math.max(0, match - maxCharsBefore) : 0;
  return `${start > 0 ? "…" : ""}${shorten(text.slice(start, start + 2 * maxHitChars).toWellFormed(), maxHitChars)}`;
}

export const searchRoutes = [searchMemory, searchMemories] as const;
