import { englishWords, splitWritten } from "../../../core/search/words.js";
import type { PageHit } from "../data/types.js";

interface Search {
  query: string;
  kind: "words" | "text";
}

/** A part of a text: its start and its end in UTF-16 units. */
export type Match = [start: number, end: number];

/** A hit with the parts of its text that contain what the person wants to find. */
export interface MatchedHit extends PageHit {
  matches: Match[];
}

const maxCharsBefore = 100;

/** Marks the matches of hits, and leaves out the context around passages that contain the words. */
export function markHits(hits: readonly PageHit[], search: Search): MatchedHit[] {
  const marked = hits.map((hit) => {
    const [first = 0] = findMatches(hit.text, search)[0] ?? [];
    const isLate = first > maxCharsBefore + 1;
    const text = isLate ? `…${hit.text.slice(first - maxCharsBefore).toWellFormed()}` : hit.text;
    return { ...hit, text, matches: findMatches(text, search) };
  });
  // A file without any of the words is similar in meaning.
  const containing = new Set(marked.filter(hasMatch).map(({ path }) => path));
  return marked.filter((hit) => hasMatch(hit) || !containing.has(hit.path));
}

function hasMatch({ matches }: MatchedHit): boolean {
  return matches.length > 0;
}

function findMatches(text: string, { query, kind }: Search): Match[] {
  return [...(kind === "text" ? findText(text.toLowerCase(), query.toLowerCase()) : findWords(text, query))];
}

function* findText(text: string, wanted: string): Generator<Match> {
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length))
    yield [at, at + wanted.length];
}

/** Finds the words of the query in any of their forms. In scripts without spaces, each character is a word. */
function* findWords(text: string, query: string): Generator<Match> {
  const wanted = new Set(englishWords(query));
  for (const { text: written, start, isSpaced } of splitWritten(text)) {
    let at = start;
    for (const word of isSpaced ? [written] : written) {
      if (englishWords(word).some((each) => wanted.has(each))) yield [at, at + word.length];
      at += word.length;
    }
  }
}
