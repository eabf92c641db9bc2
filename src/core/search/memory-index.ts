import type { FoundText } from "../tree/snapshot.js";
import { prefixOf } from "../values/paths.js";
import { compareCodeUnits } from "../values/text.js";
import { Turns } from "../runtime/turns.js";
import { bytesOf, type IndexedFile, indexFile, Vocabulary } from "./indexed-file.js";
import { bytesOfPostings, type Postings, postingsOf } from "./postings.js";
import { WordNumbers } from "./word-numbers.js";
import type { SearchWords } from "./words.js";

/** The words of a memory at one moment. */
export interface MemoryIndex {
  /** Sorted by path, in code-unit order. */
  readonly files: readonly IndexedFile[];
  readonly vocabulary: Vocabulary;
  readonly postings: Postings;
  /** About what it takes in memory. */
  readonly bytes: number;
  /** How many words the vocabulary had when all was indexed. */
  readonly firstWords: number;
}

/** Indexes what is not in `previous` as it is now. */
export async function indexTexts(
  texts: readonly FoundText[],
  wordsOf: SearchWords,
  previous: MemoryIndex | null,
  throwIfAborted: () => void,
): Promise<MemoryIndex> {
  // Words that went with their texts stay in the vocabulary, so it is made anew in time.
  const kept = previous === null || previous.vocabulary.size > 2 * previous.firstWords + 10_000 ? null : previous;
  const vocabulary = kept?.vocabulary ?? new Vocabulary();
  const wordNumbers = new WordNumbers(wordsOf, vocabulary);
  const known = new Map(kept?.files.map((file) => [file.path, file]));
  const files: IndexedFile[] = [];
  const turns = new Turns();
  const nextTurn = async (): Promise<void> => {
    await turns.next();
    throwIfAborted();
  };
  for (const text of texts.toSorted((a, b) => compareCodeUnits(a.path, b.path))) {
    const file = known.get(text.path);
    files.push(
      file?.content === text.content
        ? file
        : await indexFile(text, wordNumbers, { isOver: () => turns.isOver(), next: nextTurn }),
    );
    if (turns.isOver()) await nextTurn();
  }
  const postings = postingsOf(files, vocabulary.size);
  const bytes = files.reduce((sum, file) => sum + bytesOf(file), 1000 + vocabulary.bytes + bytesOfPostings(postings));
  return { files, vocabulary, postings, bytes, firstWords: kept?.firstWords ?? vocabulary.size };
}

/** Whether `path` is a file, or holds it. */
export function isWithin(path: string): (file: { path: string }) => boolean {
  const prefix = prefixOf(path);
  return (file) => file.path === path || file.path.startsWith(prefix);
}
