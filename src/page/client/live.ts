import { useEffect, useState } from "preact/hooks";
import type { WireAddress, WireMark } from "../wire.js";
import { changedEvent, get } from "./api.js";
import { followChanges } from "./changes.js";
import { fieldsOf, type Query } from "./route.js";

/** How often each is asked for again. Of the list of memories an answer takes longest. */
const pollMs = { proposals: 3000, memories: 4000 } as const;

/** Another number each time that it is worth to ask again. Nothing is asked for a page that nobody sees. */
export function useTicks(what: keyof typeof pollMs): number {
  const [ticks, setTicks] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) setTicks((count) => count + 1);
    }, pollMs[what]);
    return () => clearInterval(timer);
  }, [what]);
  return ticks;
}

/**
 * A text that is another after each change of the memory, and after each act on the page: what is redacted does not
 * change the memory.
 */
export function useMark(address: WireAddress): string {
  const [changes, setChanges] = useState(0);
  useEffect(() => {
    const gone = new AbortController();
    const count = (): void => setChanges((number) => number + 1);
    addEventListener(changedEvent, count, { signal: gone.signal });
    void follow(fieldsOf(address), count, gone.signal);
    return () => gone.abort();
  }, [JSON.stringify(address)]);
  return String(changes);
}

/** Between two streams, and between two questions where there is none. */
const pauseMs = 2000;
/** How often it asks before it tries a stream again. */
const maxPolls = 30;

/**
 * As long as the view is there: by the stream of changes while the tab is seen, and where that fails by asking again
 * and again.
 */
async function follow(query: Query, tell: () => void, gone: AbortSignal): Promise<void> {
  while (!gone.aborted) {
    await untilSeen(gone);
    const hasBegun = await whileSeen(gone, (end) => followChanges(query, tell, end));
    if (document.hidden || gone.aborted) continue;
    if (!hasBegun) await poll(query, tell, gone);
    await pause(gone);
  }
}

async function poll(query: Query, tell: () => void, gone: AbortSignal): Promise<void> {
  let last: string | null | undefined;
  for (let polls = 0; polls < maxPolls && !gone.aborted; polls += 1) {
    await untilSeen(gone);
    // Of a failure the views tell, which ask too.
    const mark = await get<WireMark>("mark", query, gone).then(
      (found) => found.mark,
      () => last,
    );
    if (mark !== last) tell();
    last = mark;
    await pause(gone);
  }
}

/** A tab that nobody sees keeps no connection, of which a browser has six for a server. */
async function whileSeen<T>(gone: AbortSignal, run: (end: AbortSignal) => Promise<T>): Promise<T> {
  const hidden = new AbortController();
  const check = (): void => {
    if (document.hidden) hidden.abort();
  };
  document.addEventListener("visibilitychange", check);
  check();
  try {
    return await run(AbortSignal.any([gone, hidden.signal]));
  } finally {
    document.removeEventListener("visibilitychange", check);
  }
}

async function untilSeen(gone: AbortSignal): Promise<void> {
  while (document.hidden && !gone.aborted) await once(document, "visibilitychange", gone);
}

function pause(gone: AbortSignal): Promise<void> {
  const time = new EventTarget();
  setTimeout(() => time.dispatchEvent(new Event("over")), pauseMs);
  return once(time, "over", gone);
}

/** Until an event, or until the view is gone. */
function once(target: EventTarget, name: string, gone: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = new AbortController();
    const settle = (): void => {
      end.abort();
      resolve();
    };
    target.addEventListener(name, settle, { signal: end.signal });
    gone.addEventListener("abort", settle, { signal: end.signal });
    if (gone.aborted) settle();
  });
}
