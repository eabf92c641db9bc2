import { useEffect, useState } from "preact/hooks";
import { tokenHeader } from "../token-header.js";
import type { WireError } from "../wire.js";
import type { Query } from "./route.js";

/** Where the page is mounted. */
export const basePath = document.querySelector<HTMLMetaElement>('meta[name="base-path"]')?.content ?? "";
const tokenKey = `memory-page-token ${basePath}`;

/** Takes the token out of the address, where others could see it, and keeps it as long as the tab is open. */
export function takeToken(): void {
  const found = /^#token=([\w-]+)$/.exec(location.hash)?.[1];
  if (found === undefined) return;
  sessionStorage.setItem(tokenKey, found);
  history.replaceState(null, "", `${location.pathname}${location.search}#/`);
}

/** What the page refused, or why it did not answer. */
export class ApiError extends Error {
  readonly code: string;
  readonly status: number;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export function get<T>(name: string, query: Query, signal?: AbortSignal): Promise<T> {
  return ask<T>(`${name}?${new URLSearchParams(query)}`, { signal: signal ?? null });
}

/** Changes something; what is shown is then asked for again. */
export async function post<T>(name: string, body: object): Promise<T> {
  try {
    return await ask<T>(name, {
      method: "POST",
      body: JSON.stringify(body),
      headers: { "Content-Type": "application/json" },
    });
  } finally {
    dispatchEvent(new Event(changedEvent));
  }
}

/** Something was changed on the page. */
export const changedEvent = "memory-page-changed";

interface AskInit extends Omit<RequestInit, "headers"> {
  headers?: Record<string, string>;
}

async function ask<T>(path: string, init: AskInit): Promise<T> {
  const response = await send(path, init);
  return (await response.json().catch(noAnswer)) as T;
}

/** An answer that is read as it comes. */
export function open(name: string, query: Query, signal: AbortSignal): Promise<Response> {
  return send(`${name}?${new URLSearchParams(query)}`, { signal });
}

/** @throws ApiError for a refusal, and where there is no answer */
async function send(path: string, { headers, ...init }: AskInit): Promise<Response> {
  // Where the host of the page decides who may see it, there is no token, and the header alone says that no other page
  // asks.
  const token = sessionStorage.getItem(tokenKey) ?? "none";
  const response = await fetch(`${basePath}/api/${path}`, {
    ...init,
    headers: { ...headers, [tokenHeader]: token },
  }).catch(noAnswer);
  if (response.ok) return response;
  // A refusal need not be JSON: it may come from a proxy.
  const { error } = ((await response.json().catch(() => null)) ?? {}) as Partial<WireError>;
  throw new ApiError(response.status, error?.code ?? "EIO", error?.message ?? `the server answered ${response.status}`);
}

/**
 * A body can be broken off too: by a connection that ends, or by the page itself when it no longer wants the answer.
 */
function noAnswer(error: unknown): never {
  if (error instanceof DOMException && error.name === "AbortError") throw error;
  throw new ApiError(0, "EIO", "The page's server does not answer. It may have been stopped.");
}

export interface Loaded<T> {
  data: T | null;
  error: ApiError | null;
}

/**
 * What the page answers; asked again when the query or `version` changes. While a new version loads, the old one stays.
 * @param name null: nothing is asked
 */
export function useData<T>(name: string | null, query: Query, version: unknown = 0): Loaded<T> {
  const asked = name === null ? null : `${name}?${new URLSearchParams(query)}`;
  const [loaded, setLoaded] = useState<Loaded<T> & { asked: string | null }>({ asked, data: null, error: null });
  useEffect(() => {
    if (name === null) return undefined;
    const gone = new AbortController();
    get<T>(name, query, gone.signal).then(
      (data) => setLoaded({ asked, data, error: null }),
      (error: unknown) => {
        if (!gone.signal.aborted) setLoaded({ asked, data: null, error: asApiError(error) });
      },
    );
    return () => gone.abort();
  }, [asked, version]);
  return loaded.asked === asked ? loaded : { data: null, error: null };
}

export function asApiError(error: unknown): ApiError {
  return error instanceof ApiError ? error : new ApiError(0, "EBUG", String(error));
}
