/** A stream of elements in batches. A batch takes one turn of the event loop, however many elements it has. */
export type Batches<T> = AsyncIterable<readonly T[]>;

/** Merges sorted streams into one sorted stream. Requests the first batches of all streams at the same time. */
export async function* mergeOrdered<T>(
  streams: readonly Batches<T>[],
  compare: (a: T, b: T) => number,
): AsyncGenerator<T[]> {
  const iterators = streams.map((stream) => stream[Symbol.asyncIterator]());
  try {
    let heads = iterators.map((iterator): Head<T> => ({ iterator, batch: [] }));
    for (;;) {
      heads = (await Promise.all(heads.map(readHead))).filter(({ batch }) => batch.length > 0);
      if (heads.length === 0) return;
      const ends = heads.flatMap(({ batch }) => batch.slice(-1));
      // No stream has an element before this one that it has not yielded yet.
      const end = ends.reduce((first, each) => (compare(each, first) < 0 ? each : first));
      const merged = heads.flatMap((head) => {
        const { batch } = head;
        const later = batch.findIndex((element) => compare(element, end) > 0);
        head.batch = later === -1 ? [] : batch.slice(later);
        return batch.slice(0, batch.length - head.batch.length);
      });
      yield heads.length === 1 ? merged : merged.toSorted(compare);
    }
  } finally {
    await Promise.all(iterators.map(async (iterator) => iterator.return?.()));
  }
}

interface Head<T> {
  iterator: AsyncIterator<readonly T[]>;
  /** The elements that have been read but not yielded. */
  batch: readonly T[];
}

/** Reads the next elements of a stream if none are left. Leaves none if the stream has ended. */
async function readHead<T>({ iterator, batch }: Head<T>): Promise<Head<T>> {
  if (batch.length > 0) return { iterator, batch };
  for (;;) {
    const result = await iterator.next();
    if (result.done === true) return { iterator, batch: [] };
    if (result.value.length > 0) return { iterator, batch: result.value };
  }
}

/** Reads one page of a stream. Stops as soon as the page is full, so that no batch behind the page is read. */
export async function takePage<T>(stream: Batches<T>, offset: number, limit: number): Promise<T[]> {
  const page: T[] = [];
  if (limit === 0) return page;
  let skipped = 0;
  for await (const batch of stream) {
    const start = Math.min(offset - skipped, batch.length);
    skipped += start;
    for (const element of batch.slice(start, start + limit - page.length)) page.push(element);
    if (page.length >= limit) break;
  }
  return page;
}

/** Yields the elements of batches one by one. */
export async function* flattened<T>(batches: Batches<T>): AsyncGenerator<T> {
  for await (const batch of batches) yield* batch;
}

/** Yields arrays of `size` elements. The last array may be shorter. */
export async function* splitIntoChunks<T>(batches: Batches<T>, size: number): AsyncGenerator<T[]> {
  let chunk: T[] = [];
  for await (const batch of batches) {
    for (const element of batch) {
      chunk.push(element);
      if (chunk.length < size) continue;
      yield chunk;
      chunk = [];
    }
  }
  if (chunk.length > 0) yield chunk;
}
