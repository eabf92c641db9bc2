import type { MemoryPage } from "../../src/page/index.js";

export const pageToken = "token-of-this-page";

const origin = "http://localhost:4000";

export interface PageAnswer {
  status: number;
  headers: Headers;
  text: string;
  /** Null if the body is not JSON. */
  json: unknown;
}

/** Sends a request to a page as its own client does, unless the headers say otherwise. */
export async function askPage(
  page: MemoryPage,
  path: string,
  headers: Record<string, string | null> = {},
  method = "GET",
): Promise<PageAnswer> {
  return answerOf(
    await page(
      new Request(`${origin}${path}`, {
        method,
        headers: given({ "memory-page-token": pageToken, "sec-fetch-site": "same-origin", ...headers }),
      }),
    ),
  );
}

/** Sends a change. */
export async function tellPage(
  page: MemoryPage,
  path: string,
  body: unknown,
  headers: Record<string, string | null> = {},
): Promise<PageAnswer> {
  const own = {
    "memory-page-token": pageToken,
    "sec-fetch-site": "same-origin",
    origin,
    "content-type": "application/json",
  };
  return answerOf(
    await page(
      new Request(`${origin}${path}`, {
        method: "POST",
        headers: given({ ...own, ...headers }),
        body: typeof body === "string" ? body : JSON.stringify(body),
      }),
    ),
  );
}

/** Builds a query of the page from the address of a memory and further fields. */
export function pageQuery(fields: Record<string, unknown>): string {
  return new URLSearchParams(
    Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
}

/** Removes the headers that are null. */
function given(headers: Record<string, string | null>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
  );
}

async function answerOf(response: Response): Promise<PageAnswer> {
  const text = await response.text();
  let json: unknown = null;
  try {
    json = JSON.parse(text);
  } catch {
    // The document and the files of the client are not JSON.
  }
  return { status: response.status, headers: response.headers, text, json };
}
