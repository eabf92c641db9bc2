import { logRoles } from "./log-lines.js";
import { type SearchWords, splitWords } from "./words.js";

/** The words of a query. */
export interface QueryWords {
  words: readonly string[];
  /** The words that can name a speaker. */
  speakers: readonly string[];
}

const firstPerson = /\b(?:i|me|my|mine|we|us|our|ours)\b/i;

/** Reads a query. In a log, a question about oneself names the speaker `User`. */
export function readQuery(searchWords: SearchWords, query: string): QueryWords {
  const words = splitWords(searchWords, query);
  const asker = firstPerson.test(query) ? splitWords(searchWords, logRoles.user) : [];
  return { words, speakers: [...words, ...asker] };
}
