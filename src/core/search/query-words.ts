import { logRoles } from "./log-lines.js";
import { type SearchWords, splitWords } from "./words.js";

/** The words of a query. */
export interface QueryWords {
  words: readonly string[];
  /** How often a line counts whose speaker has this name. */
  speakers: ReadonlyMap<string, number>;
}

const firstPerson = /\b(?:i|me|my|mine|we|us|our|ours)\b/i;
/** Asks for what the assistant said, or for everything. */
const aboutBoth = /\b(?:did you|summar)/i;

/** The weight of a line whose speaker a query names (bench/search/RESULTS.md). */
const speakerWeight = 2;
const askerAmongBothWeight = 1.25;

/** Reads a query. In a log, a question about oneself names the speaker `User`. */
export function readQuery(searchWords: SearchWords, query: string): QueryWords {
  const words = splitWords(searchWords, query);
  const asker = firstPerson.test(query) ? splitWords(searchWords, logRoles.user) : [];
  const weight = aboutBoth.test(query) ? askerAmongBothWeight : speakerWeight;
  const speakers = new Map(asker.map((word) => [word, weight]));
  for (const word of words) speakers.set(word, speakerWeight);
  return { words, speakers };
}
