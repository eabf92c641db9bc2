/** Reads a stream to its end. Reason: Node 20 has no `Array.fromAsync`. */
export async function readAll<T>(stream: AsyncIterable<T> | readonly T[]): Promise<T[]> {
  const elements: T[] = [];
  for await (const element of stream) elements.push(element);
  return elements;
}
