import type { Answers, Bodies } from "../../answers.js";
import { tokenHeader } from "../../token-header.js";
import type { Query } from "./route.js";
import { basePath, getToken } from "./token.js";

/** A refusal of the page, or the reason why the page did not answer. */
export class ApiError extends Error {
  readonly code: string;
  readonly status: number;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export function toApiError(error: unknown): ApiError {
  return error instanceof ApiError ? error : new ApiError(0, "EBUG", String(error));
}

export async function get<Path extends keyof Answers>(
  path: Path,
  query: Query,
  signal: AbortSignal | null = null,
): Promise<Answers[Path]> {
  return readAnswer(await open(path, query, signal));
}

/** Opens an answer that is read as a stream. */
export function open(path: keyof Answers, query: Query, signal: AbortSignal | null): Promise<Response> {
  return send(`${path}?${new URLSearchParams(query)}`, { signal });
}

/** The event after a change that was made on this page. */
export const changedEvent = "memory-page-changed";

/** Makes a change. Afterwards the shown data is requested again. */
export async function post<Path extends keyof Bodies>(path: Path, body: Bodies[Path]): Promise<Answers[Path]> {
  try {
    const headers = { "Content-Type": "application/json" };
    return await readAnswer(await send(path, { method: "POST", body: JSON.stringify(body), headers }));
  } finally {
    dispatchEvent(new Event(changedEvent));
  }
}

/** @throws ApiError for a refusal, and if there is no answer */
async function send(path: string, init: RequestInit): Promise<Response> {
  const response = await request(path, init);
  if (response.ok) return response;
  // A refusal may have another form, because it may come from a proxy.
  const refusal = (await response.json().catch(() => null)) as { error?: { code: string; message: string } } | null;
  const { code = "EIO", message = `the server answered ${response.status}` } = refusal?.error ?? {};
  throw new ApiError(response.status, code, message);
}

function request(path: string, init: RequestInit): Promise<Response> {
  const headers = new Headers(init.headers);
  // Without a token, because the host of the page decides who may see it, the header alone proves that no other page
  // sends the request.
  headers.set(tokenHeader, getToken() ?? "none");
  return fetch(`${basePath}/api/${path}`, { ...init, headers }).catch(throwNoAnswer);
}

async function readAnswer<T>(response: Response): Promise<T> {
  // The page and its server belong to one package.
  return (await response.json().catch(throwNoAnswer)) as T;
}

/** A body can be interrupted, too: by a lost connection, or by the page itself if it no longer needs the answer. */
function throwNoAnswer(error: unknown): never {
  if (error instanceof DOMException && error.name === "AbortError") throw error;
  throw new ApiError(0, "EIO", "The page's server does not answer. It may have been stopped.");
}
