/** The path at which the page is mounted. */
export const basePath = document.querySelector<HTMLMetaElement>('meta[name="base-path"]')?.content ?? "";

const tokenKey = `memory-page-token ${basePath}`;

/**
 * Leads to the other tabs of the page. A tab without a token sends null, and tabs with a token send it. Only documents
 * of the same origin, and so of the same port, receive it.
 */
const tabs = new BroadcastChannel(tokenKey);

export function getToken(): string | null {
  return sessionStorage.getItem(tokenKey);
}

/** Keeps the token until the tab is closed. The token is in the address, where others could see it, or comes later. */
export function takeToken(): void {
  const token = /^#token=([\w-]+)$/.exec(location.hash)?.[1];
  if (token !== undefined) {
    sessionStorage.setItem(tokenKey, token);
    history.replaceState(null, "", `${location.pathname}${location.search}#/`);
  }
  tabs.addEventListener("message", ({ data }: MessageEvent<string | null>) => {
    const own = getToken();
    if (data === null && own !== null) tabs.postMessage(own);
    if (data !== null && own === null) sessionStorage.setItem(tokenKey, data);
  });
}

/** A tab in the background answers at once, too, unless the machine is busy. */
const maxAnswerMs = 1000;

/** Requests the token from the other tabs. @returns whether one of them knows it */
export async function requestToken(): Promise<boolean> {
  if (getToken() !== null) return false;
  const answered = new Promise<void>((resolve) => {
    tabs.addEventListener("message", () => getToken() !== null && resolve());
    setTimeout(resolve, maxAnswerMs);
  });
  tabs.postMessage(null);
  await answered;
  return getToken() !== null;
}
