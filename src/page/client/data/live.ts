import { useEffect, useState } from "preact/hooks";
import type { Address } from "./types.js";
import { changedEvent, get, open, toApiError } from "./api.js";
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

/** Whether changes appear by themselves now, and else the reason: nobody answers, not the database, or with a refusal. */
export type Contact = "live" | "silent" | "database" | "refused";

export interface Live {
  /** Differs after each change of the memory, and after each change made on the page. */
  version: string;
  contact: Contact;
}

/**
 * Follows the changes of a memory. A change made on the page counts too, because a redaction does not change the
 * memory.
 */
export function useLive(address: Address): Live {
  const [changes, setChanges] = useState(0);
  const [contact, setContact] = useState<Contact>("live");
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
    const follower = new Follower({ ...address }, count, setContact, gone.signal);
    void follower.run();
    return () => gone.abort();
  }, [JSON.stringify(address), isVisible]);
  return { version: String(changes), contact };
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
/** Longest wait for the answer to a poll. */
const maxPollMs = 3000;
/** Longest wait for the first event. Reason: some servers and proxies hold the first event back until more follow. */
const firstEventMs = 4000;
/** Longer than the server waits for the database before a heartbeat. */
const silenceMs = 4500;

/** Follows the changes of a memory through the server's stream, or by polling if the stream fails. */
class Follower {
  readonly #query: Query;
  readonly #report: () => void;
  readonly #setContact: (contact: Contact) => void;
  readonly #gone: AbortSignal;
  #silence: ReturnType<typeof setTimeout> | undefined;

  /** @param setContact called only until `gone` aborts */
  constructor(query: Query, report: () => void, setContact: (contact: Contact) => void, gone: AbortSignal) {
    this.#query = query;
    this.#report = report;
    this.#setContact = setContact;
    this.#gone = gone;
  }

  async run(): Promise<void> {
    let changeToken: string | null | undefined;
    let polls = 0;
    let isLost = false;
    this.#heard("live");
    while (!this.#gone.aborted) {
      if (polls % maxPolls === 0 && (await this.#followStream())) polls = 0;
      else {
        const found = await this.#poll();
        if (found !== undefined && found !== changeToken) this.#report();
        if (found !== undefined) changeToken = found;
        // As soon as a lost server is back, the stream is opened again.
        polls = isLost && found !== undefined ? 0 : polls + 1;
        isLost = found === undefined;
      }
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
    clearTimeout(this.#silence);
  }

  /** Says who answers, and that nobody does if nothing is heard for some seconds. */
  #heard(contact: Contact): void {
    clearTimeout(this.#silence);
    if (this.#gone.aborted) return;
    this.#setContact(contact);
    if (contact === "live") this.#silence = setTimeout(() => this.#heard("silent"), silenceMs);
  }

  /** @returns undefined without an answer. The views request more data and show why it fails. */
  async #poll(): Promise<string | null | undefined> {
    try {
      const signal = AbortSignal.any([this.#gone, AbortSignal.timeout(maxPollMs)]);
      const { changeToken } = await get("change-token", this.#query, signal);
      this.#heard("live");
      return changeToken;
    } catch (error) {
      const { status } = toApiError(error);
      this.#heard(status === 0 ? "silent" : status === 503 ? "database" : "refused");
      return undefined;
    }
  }

  /**
   * Reports once when the stream begins, because something may have changed before, and after each change, until the
   * stream ends.
   * @returns whether the stream has begun. It never rejects
   */
  async #followStream(): Promise<boolean> {
    const silent = new AbortController();
    const end = (): void => silent.abort();
    let silence = setTimeout(end, firstEventMs);
    let hasBegun = false;
    try {
      const { body } = await open("changes", this.#query, AbortSignal.any([this.#gone, silent.signal]));
      const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
      let text = "";
      for (let piece = await reader?.read(); piece?.done === false; piece = await reader?.read()) {
        clearTimeout(silence);
        silence = setTimeout(end, silenceMs);
        const events = (text + piece.value).split("\n\n");
        text = events.pop() ?? "";
        this.#heard(events.includes("data: unreachable") ? "database" : "live");
        if (!events.some((event) => event === "data: ready" || event === "data: changed")) continue;
        hasBegun = true;
        this.#report();
      }
    } catch {
      // Polling then shows the error.
    } finally {
      clearTimeout(silence);
      end();
    }
    return hasBegun;
  }
}
