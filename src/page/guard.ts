import type { IncomingMessage } from "node:http";
import type { DatabasePlace } from "../core/values/database-place.js";
import { isLoopback, loopbackNames, parseHostHeader } from "../core/values/hostnames.js";
import { createSecretMatcher } from "../core/values/sha256.js";
import { shorten } from "../core/values/text.js";
import { isObject } from "../core/values/unknown-values.js";
import {
  type MemoryPageAccess,
  type MemoryPageOptions,
  type MemoryPageVisitor,
  type PageOwner,
  visitorSchema,
} from "./options.js";
import { PageRefusal } from "./refusal.js";
import { tokenHeader } from "./token-header.js";

export interface Visitor {
  access: MemoryPageAccess;
  userId: string | null;
  /** If set, nothing but the memories of this person exists for the visitor. */
  owner?: PageOwner;
}

/** The visitor as the client shows it, and the place of the memories, if it is known. */
export type Session = Visitor & { place: DatabasePlace | null };

type GuardOptions = Pick<MemoryPageOptions, "token" | "authorize" | "publicOrigin"> & { access: MemoryPageAccess };

/** Decides which requests are allowed. */
export class PageGuard {
  readonly #options: GuardOptions;
  /** Null if the page has no token. */
  readonly #isToken: ((given: string) => boolean) | null;

  constructor(options: GuardOptions) {
    this.#options = options;
    this.#isToken = options.token === undefined ? null : createSecretMatcher(options.token);
  }

  /** @returns the visitor, or the Response of `authorize`. @throws PageRefusal */
  async admit(request: Request, nodeRequest?: IncomingMessage): Promise<Visitor | Response> {
    const { access, authorize, publicOrigin = "" } = this.#options;
    const given = request.headers.get("host");
    if (given !== null && parseHostHeader(given) === null) throw foreignHost(given);
    if (authorize === undefined) {
      const publicHost = hostIn(publicOrigin);
      for (const host of listHosts(request)) if (!isLocal(host) && host !== publicHost) throw foreignHost(host);
      return { access, userId: null };
    }
    const answer = await authorized(authorize, request, nodeRequest);
    if (answer instanceof Response) return answer;
    if (answer === false) throw new PageRefusal(403, "EACCES", "you may not see this page");
    const { owner, userId = owner?.userId ?? null, access: own = access } = answer === true ? {} : answer;
    return { userId, access: access === "read" ? "read" : own, ...(owner !== undefined && { owner }) };
  }

  /** Requires a header, which a page of another origin cannot send. Its value is the token, if the page has one. @throws PageRefusal */
  assertOwnClient({ headers }: Request): void {
    const site = headers.get("sec-fetch-site");
    if (site !== null && site !== "same-origin" && site !== "none")
      throw foreignPage(`the browser says that the request is ${shorten(site, 32)}`);
    const given = headers.get(tokenHeader);
    if (given === null) throw new PageRefusal(401, "EACCES", `the header ${tokenHeader} is missing`);
    if (this.#isToken?.(given) === false) {
      throw new PageRefusal(401, "EACCES", "the token is not that of this page; open the address with the token again");
    }
  }

  /** Checks a request that changes something. @throws PageRefusal */
  assertMayChange(request: Request, visitor: Visitor): void {
    const { headers } = request;
    const origin = headers.get("origin");
    if (origin === null) throw foreignPage("it names no Origin");
    const { publicOrigin } = this.#options;
    const isOwn = publicOrigin === undefined ? this.#isOwn(origin, request) : origin === publicOrigin;
    if (!isOwn) throw foreignPage(`its Origin is ${shorten(origin, 256)}, ${explainOrigin(request, publicOrigin)}`);
    if (!/^application\/json(?:;|$)/i.test(headers.get("content-type") ?? ""))
      throw new PageRefusal(415, "EINVAL", "the Content-Type must be application/json");
    if (visitor.access !== "write")
      throw new PageRefusal(403, "EACCES", 'this page is read-only; it changes things only with access "write"');
  }

  #isOwn(origin: string, request: Request): boolean {
    if (listHosts(request).includes(hostIn(origin))) return true;
    // A proxy may have changed the host. Then the header of the browser decides, because no page can set it. Browsers
    // send it over https and to this machine only.
    return this.#options.authorize !== undefined && request.headers.get("sec-fetch-site") === "same-origin";
  }
}

async function authorized(
  authorize: NonNullable<MemoryPageOptions["authorize"]>,
  request: Request,
  nodeRequest: IncomingMessage | undefined,
): Promise<boolean | Response | MemoryPageVisitor> {
  let answer: unknown;
  try {
    answer = await authorize(request, { nodeRequest });
  } catch {
    throw new PageRefusal(500, "EACCES", "the request could not be authorized");
  }
  if (typeof answer === "boolean" || answer instanceof Response) return answer;
  const visitor = visitorSchema.safeParse(answer);
  if (visitor.success) {
    const { owner, ...others } = visitor.data;
    // An owner that is not known must not become a visitor who sees everything.
    if (owner !== undefined) return { ...others, owner };
    if (!isObject(answer) || !("owner" in answer)) return others;
  }
  // For example undefined, from a function without a return.
  throw new PageRefusal(
    500,
    "EACCES",
    "the request could not be authorized: authorize must answer true, false, " +
      "a visitor { userId, access, owner: { userId } } or a Response",
  );
}

/** Returns the hosts of a request, with the port: that of its URL and that of its header. Frameworks need not make them equal. */
function listHosts({ headers, url }: Request): string[] {
  const host = headers.get("host");
  return [new URL(url).host, ...(host === null ? [] : [host.toLowerCase()])];
}

function hostIn(origin: string): string {
  return URL.canParse(origin) ? new URL(origin).host : "";
}

function explainOrigin(request: Request, publicOrigin: string | undefined): string {
  if (publicOrigin !== undefined) return `but the \`publicOrigin\` of this page is ${publicOrigin}`;
  return (
    `but its Host is ${shorten(new URL(request.url).host, 256)}. If a proxy before the page rewrites Host, pass the ` +
    "origin that the browser shows as `publicOrigin`, or to the command as --public-origin"
  );
}

function isLocal(host: string): boolean {
  const hostname = parseHostHeader(host);
  return hostname !== null && isLoopback(hostname);
}

function foreignHost(host: string): PageRefusal {
  const names = loopbackNames.join(", ");
  return new PageRefusal(
    403,
    "EACCES",
    `Host ${shorten(host, 256)} is not allowed: without \`authorize\` the page answers under ${names} only`,
  );
}

function foreignPage(reason: string): PageRefusal {
  return new PageRefusal(403, "EACCES", `the request comes from another page: ${reason}`);
}
