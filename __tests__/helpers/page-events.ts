/** Yields the events of a stream, without the heartbeats. */
export async function* eventsOf({ body }: Response): AsyncGenerator<string, undefined> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const piece of (body ?? []) as AsyncIterable<Uint8Array>) {
    const events = (text + decoder.decode(piece, { stream: true })).split("\n\n");
    text = events.pop() ?? "";
    for (const event of events) if (event.startsWith("data: ")) yield event.slice("data: ".length);
  }
  return undefined;
}
