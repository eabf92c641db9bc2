import { storageError } from "./errors.js";

/** Runs reads. @throws MemoryError EIO if the driver throws anything */
export async function reading<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw storageError(error, "read", null);
  }
}

/** Reads a cursor with the same errors, and closes the cursor when the reader stops. */
export async function* streaming<T>(cursor: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    for await (const document of cursor) yield document;
  } catch (error) {
    throw storageError(error, "read", null);
  }
}

/**
 * Yields a whole batch of the server at a time, so that a long stream takes fewer turns of the event loop.
 * @param open prepares the read, and creates the cursor
 */
export async function* streamingBatches<T>(open: () => Promise<BatchCursor<T>>): AsyncGenerator<T[]> {
  const cursor = await reading(open);
  try {
    while (await cursor.hasNext()) yield cursor.readBufferedDocuments();
  } catch (error) {
    throw storageError(error, "read", null);
  } finally {
    if (!cursor.closed) await cursor.close();
  }
}

interface BatchCursor<T> {
  readonly closed: boolean;
  hasNext(): Promise<boolean>;
  readBufferedDocuments(): T[];
  close(): Promise<void>;
}
