import { storageError } from "../backends/mongodb/errors.js";

/** @throws MemoryError EIO for whatever the driver throws */
export async function reading<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw storageError(error, "read", 0);
  }
}

/** The same for a cursor, which is closed when its reader leaves. */
export async function* streaming<T>(cursor: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    for await (const document of cursor) yield document;
  } catch (error) {
    throw storageError(error, "read", 0);
  }
}
