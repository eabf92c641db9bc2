/** The path at which the page is mounted. */
export const basePath = document.querySelector<HTMLMetaElement>('meta[name="base-path"]')?.content ?? "";

const tokenKey = `memory-page-token ${basePath}`;

export function getToken(): string | null {
  return sessionStorage.getItem(tokenKey);
}

/** Keeps the token until the tab is closed. The token is in the address, where others could see it. */
export function takeToken(): void {
  const token = /^#token=([\w-]+)$/.exec(location.hash)?.[1];
  if (token === undefined) return;
  sessionStorage.setItem(tokenKey, token);
  history.replaceState(null, "", `${location.pathname}${location.search}#/`);
}
