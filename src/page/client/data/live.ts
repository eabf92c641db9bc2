import { useEffect, useState } from "preact/hooks";
import type { WireAddress, WireChangeToken } from "../../wire.js";
import { changedEvent, get, open } from "./api.js";
import type { Query } from "./route.js";

/** Returns a number that grows every few milliseconds while the tab is visible. */
export function useTicks(everyMs: number): number {
  const [ticks, setTicks] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) setTicks((count) => count + 1);
    }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return ticks;
}

/**
 * Returns a text that changes after each change of the memory, and after each change made on the page. Reason for the
 * latter: a redaction does not change the memory.
 */
export function useVersion(address: WireAddress): string {
  const [changes, setChanges] = useState(0);
  const isVisible = useVisible();
  const count = (): void => setChanges((number) => number + 1);
  useEffect(() => {
    addEventListener(changedEvent, count);
    return () => removeEventListener(changedEvent, count);
  }, []);
  useEffect(() => {
    // A hidden tab keeps no connection, because a browser has only six for each server.
    if (!isVisible) return undefined;
    const gone = new AbortController();
    void follow({ ...address }, count, gone.signal);
    return () => gone.abort();
  }, [JSON.stringify(address), isVisible]);
  return String(changes);
}

function useVisible(): boolean {
  const [isVisible, setVisible] = useState(!document.hidden);
  useEffect(() => {
    const update = (): void => setVisible(!document.hidden);
    document.addEventListener("visibilitychange", update);
    return () => document.removeEventListener("visibilitychange", update);
  }, []);
  return isVisible;
}

const pauseMs = 2000;
/** Number of polls before the next attempt to open a stream. */
const maxPolls = 30;

/** Reports changes through the server's stream, or by polling if the stream fails. */
async function follow(query: Query, report: () => void, gone: AbortSignal): Promise<void> {
  let changeToken: string | null | undefined;
  let polls = 0;
  while (!gone.aborted) {
    if (polls % maxPolls === 0 && (await followStream(query, report, gone))) polls = 0;
    else {
      // Ignores the error. The views request more data and show why it fails.
      const answer = await get<WireChangeToken>("change-token", query, gone).catch(() => ({ changeToken }));
      if (answer.changeToken !== changeToken) report();
      ({ changeToken } = answer);
      polls += 1;
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

/** Longest wait for the first event. Reason: some servers and proxies hold the first event back until more follow. */
const firstEventMs = 10_000;
/** More than twice the interval of the server's heartbeats. */
const silenceMs = 45_000;

/**
 * Reports once when the stream begins, because something may have changed before, and after each change, until the
 * stream ends.
 * @returns whether the stream has begun. It never rejects
 */
async function followStream(query: Query, report: () => void, gone: AbortSignal): Promise<boolean> {
  const silent = new AbortController();
  const end = (): void => silent.abort();
  let silence = setTimeout(end, firstEventMs);
  let hasBegun = false;
  try {
    const { body } = await open("changes", query, AbortSignal.any([gone, silent.signal]));
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    for (let piece = await reader?.read(); piece?.done === false; piece = await reader?.read()) {
      clearTimeout(silence);
      silence = setTimeout(end, silenceMs);
      const events = (text + piece.value).split("\n\n");
      text = events.pop() ?? "";
      if (!events.some((event) => event.startsWith("data:"))) continue;
      hasBegun = true;
      report();
    }
  } catch {
    // Polling then shows the error.
  } finally {
    clearTimeout(silence);
    end();
  }
  return hasBegun;
}
