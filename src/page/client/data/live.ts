import { createContext } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import type { Answers } from "../../answers.js";
import { changedEvent, get, toApiError } from "./api.js";
import type { Query } from "./route.js";

/** "live": changes appear by themselves. Otherwise the server does not answer, its database does not, or it refuses. */
export type Contact = "live" | "silent" | "database" | "refused";

export interface Live {
  /** Differs after each change of the shown data, after each change made on the page, and after an outage. */
  version: string;
  contact: Contact;
  /** The proposals that wait for a person. */
  waiting: Answers["changes"]["waiting"];
}

const nothing: Live = { version: "", contact: "live", waiting: { count: 0, more: false, memories: [] } };

export const LiveContext = createContext(nothing);

export function useLive(): Live {
  return useContext(LiveContext);
}

const pauseMs = 2000;
/** Longest wait for an answer. It is longer than the server waits for the database. */
const maxAnswerMs = 3000;

/**
 * Asks the server every two seconds whether the shown data has changed. A change made on the page counts too, because a
 * redaction does not change the memory.
 *
 * @param query names what is shown. Null asks nothing
 */
export function usePolling(query: Query | null): Live {
  const [live, setLive] = useState({ ...nothing, outages: 0 });
  const [changes, setChanges] = useState(0);
  useEffect(() => {
    const count = (): void => setChanges((number) => number + 1);
    addEventListener(changedEvent, count);
    return () => removeEventListener(changedEvent, count);
  }, []);
  useEffect(() => {
    if (query === null) return undefined;
    const end = new AbortController();
    const run = async (): Promise<void> => {
      while (!end.signal.aborted) {
        // Nobody looks at a hidden tab.
        const answer = document.hidden ? {} : await poll(query, end.signal);
        if (end.signal.aborted) return;
        // Unchanged parts are not drawn again.
        setLive((old) => (isSame(old, answer) ? old : { ...old, ...answer, outages: countOutages(old, answer) }));
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
    };
    void run();
    return () => end.abort();
  }, [JSON.stringify(query), changes]);
  return { ...live, version: `${changes} ${live.outages} ${live.version}` };
}

/** Counts the outages that are over: what was requested meanwhile is requested again. */
function countOutages({ contact, outages }: Live & { outages: number }, answer: Partial<Live>): number {
  return answer.contact === "live" && contact !== "live" ? outages + 1 : outages;
}

function isSame(old: Live, answer: Partial<Live>): boolean {
  return JSON.stringify({ ...old, ...answer }) === JSON.stringify(old);
}

/** Polls once, and never rejects. The views request more data, and show why that fails. */
async function poll(query: Query, end: AbortSignal): Promise<Partial<Live>> {
  try {
    const signal = AbortSignal.any([end, AbortSignal.timeout(maxAnswerMs)]);
    const { changeToken, waiting } = await get("changes", query, signal);
    return { contact: "live", version: changeToken, waiting };
  } catch (error) {
    const { status } = toApiError(error);
    return { contact: status === 0 ? "silent" : status === 503 ? "database" : "refused" };
  }
}
