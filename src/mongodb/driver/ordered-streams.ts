/** Merges sorted streams into one sorted stream. Requests the first elements of all streams at the same time. */
export async function* mergeOrdered<T>(
  streams: readonly AsyncIterable<T>[],
  compare: (a: T, b: T) => number,
): AsyncGenerator<T> {
  const iterators = streams.map((stream) => stream[Symbol.asyncIterator]());
  try {
    const heads = await Promise.all(iterators.map(async (iterator) => ({ iterator, result: await iterator.next() })));
    for (;;) {
      let first: { head: (typeof heads)[number]; value: T } | undefined;
      for (const head of heads) {
        if (head.result.done === true) continue;
        const { value } = head.result;
        if (first === undefined || compare(value, first.value) < 0) first = { head, value };
      }
      if (first === undefined) return;
      yield first.value;
      first.head.result = await first.head.iterator.next();
    }
  } finally {
    await Promise.all(iterators.map(async (iterator) => iterator.return?.()));
  }
}

/** Reads one page of a stream. Stops as soon as the page is full, so that nothing behind the page is read. */
export async function takePage<T>(stream: AsyncIterable<T>, offset: number, limit: number): Promise<T[]> {
  const page: T[] = [];
  if (limit === 0) return page;
  let skipped = 0;
  for await (const element of stream) {
    if (skipped < offset) {
      skipped += 1;
      continue;
    }
    page.push(element);
    if (page.length >= limit) break;
  }
  return page;
}

/** Yields the elements of arrays one by one. */
export async function* flattened<T>(chunks: AsyncIterable<readonly T[]>): AsyncGenerator<T> {
  for await (const chunk of chunks) yield* chunk;
}

/** Yields arrays of `size` elements. The last array may be shorter. */
export async function* splitIntoChunks<T>(stream: AsyncIterable<T>, size: number): AsyncGenerator<T[]> {
  let chunk: T[] = [];
  for await (const element of stream) {
    chunk.push(element);
    if (chunk.length < size) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}
