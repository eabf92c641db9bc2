import { countPassages, firstWordOf, type IndexedFile } from "./indexed-file.js";

/** Which passages hold each word of a memory. Passages are counted through all files. */
export interface Postings {
  /** The first passage of each file, and behind them how many passages there are. */
  readonly firstPassages: Uint32Array;
  /** Where in `hits` each word begins, and where the last ends. */
  readonly starts: Uint32Array;
  /** For each word the passages that hold it, once for each time, ascending. */
  readonly hits: Uint32Array;
}

/**
 * Made anew after each change, by two passes over numbers. To sort the words of each file once for all took longer than
 * to find them.
 */
export function postingsOf(files: readonly IndexedFile[], vocabularySize: number): Postings {
  const firstPassages = new Uint32Array(files.length + 1);
  // For each word how often it is there; then where its next hit goes; in the end where it ends, which is where the
  // next word begins.
  const starts = new Uint32Array(vocabularySize + 1);
  const places = starts.subarray(1);
  files.forEach((file, index) => {
    firstPassages[index + 1] = (firstPassages[index] ?? 0) + countPassages(file);
    for (const word of file.words) places[word] = (places[word] ?? 0) + 1;
  });
  let size = 0;
  places.forEach((count, word) => {
    places[word] = size;
    size += count;
  });
  const hits = new Uint32Array(size);
  files.forEach((file, index) => {
    const { words } = file;
    for (let passage = 0, at = 0, end = countPassages(file); passage < end; passage += 1) {
      const place = (firstPassages[index] ?? 0) + passage;
      for (const next = firstWordOf(file, passage + 1); at < next; at += 1) {
        const word = words[at] ?? 0;
        const hit = places[word] ?? 0;
        hits[hit] = place;
        places[word] = hit + 1;
      }
    }
  });
  return { firstPassages, starts, hits };
}

export function bytesOfPostings({ firstPassages, starts, hits }: Postings): number {
  return firstPassages.byteLength + starts.byteLength + hits.byteLength;
}
