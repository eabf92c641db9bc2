/** The names of this machine in a URL. */
export const loopbackNames = ["localhost", "127.0.0.1", "[::1]"] as const;

const form = /^(?:[^\s/\\:@?#]+|[0-9a-f:.]+|\[[0-9a-f:.]+\])$/i;

/** Whether a text is only a host. An IPv6 address may have brackets or not. */
export function isHost(text: string): boolean {
  return form.test(text) && URL.canParse(toUrl(text));
}

/** Returns the spelling in a URL: `[2001:db8::1]` for `2001:DB8:0::1`, `xn--bcher-kva.example` for `bücher.example`. */
export function asHostname(host: string): string {
  return new URL(toUrl(host)).hostname;
}

/**
 * Returns the host of a Host header, without the port. Null for a spelling that a URL does not keep, such as `127.1`:
 * browsers never send it, and the compared text must be the sent text.
 */
export function parseHostHeader(header: string): string | null {
  const host = header.toLowerCase().replace(/:\d{1,5}$/, "");
  return isHost(host) && asHostname(host) === host && URL.canParse(`http://${header}`) ? host : null;
}

/** @param hostname a result of `asHostname` */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}

export const originRule = 'the origin that a browser shows, such as "https://app.example.com", without a path';

/** Whether a text is an origin as browsers send it: in lower case, without the usual port and without a slash. */
export function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

function toUrl(host: string): string {
  return `http://${host.includes(":") && !host.startsWith("[") ? `[${host}]` : host}`;
}
