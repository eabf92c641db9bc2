import type { IncomingMessage, ServerResponse } from "node:http";
import { brotliDecompressSync } from "node:zlib";
import { Hono } from "hono/tiny";
import { etag } from "hono/etag";
import { secureHeaders } from "hono/secure-headers";
import { wrongArgument } from "../core/settings/wrong-argument.js";
import { runInTimeSlices } from "../core/runtime/time-slices.js";
import { describePlace, isPlaced } from "../core/values/database-place.js";
import { hashSha256 } from "../core/values/sha256.js";
import { clientFiles } from "./client-files.js";
import { pageDocument } from "./document.js";
import { PageGuard, type Session } from "./guard.js";
import { type AnswerRequest, createNodeListener } from "./node-listener.js";
import { checkPageOptions, type MemoryPageOptions, pageDefaults } from "./options.js";
import { confine, hideOthers, hideOthersInError } from "./owner.js";
import { getField, hasMethod } from "../core/values/unknown-values.js";
import { PageRefusal, toRefusal } from "./refusal.js";
import { type PageEnv, type PageMemories } from "./route.js";
import { pageRoutes } from "./routes/routes.js";
import { writeJson } from "./write-json.js";

/**
 * Answers each request below its `basePath`, for any server that knows `Request` and `Response`. It rejects only an
 * argument that is not a `Request`.
 */
export interface MemoryPage {
  (request: Request): Promise<Response>;
  /** The same for `node:http`, and as a handler of Express and Connect: `app.use("/memory", page.nodeListener)`. */
  readonly nodeListener: (request: IncomingMessage, response: ServerResponse) => void;
}

/**
 * Creates a web page that shows the memories of a store: files, versions, proposals, and the message for a model. The
 * page is read-only unless `access` is "write", and loads nothing from other servers. Without `authorize` it answers
 * only under the names of the loopback, and only to a browser that knows the `token`.
 *
 * @throws TypeError for bad options, and if neither `authorize` nor `token` is given
 */
export function createMemoryPage(options: MemoryPageOptions): MemoryPage {
  checkPageOptions(options);
  const { store, nodes = [] } = options;
  const memories: PageMemories = {
    place: isPlaced(store) ? store[describePlace]() : undefined,
    memory: (address) => store.memory(address),
    nodeOf: ({ nodeId, scope }) => nodes.find((node) => node.nodeId === nodeId && node.scope === scope),
    listMemories: (filter) => store.listMemories(filter),
    listProposals: (filter) => store.listProposals(filter),
    forget: (who) => store.forget(who),
  };
  return pageOver(memories, options);
}

/** Creates a page over any source of memories. @param options checked options */
export function pageOver(memories: PageMemories, options: Omit<MemoryPageOptions, "store" | "nodes">): MemoryPage {
  const { basePath = pageDefaults.basePath, title = pageDefaults.title } = options;
  const { access = pageDefaults.access, token, authorize, publicOrigin } = options;
  const guard = new PageGuard({ access, token, authorize, publicOrigin });
  const app = new Hono<PageEnv>({ getPath: ({ url }) => pathBelow(basePath, new URL(url).pathname) });
  app.onError((error, http) => {
    if (http.req.raw.signal.aborted) return new Response(null, { status: 499 });
    const { status, code, message } = toRefusal(error);
    http.header("Cache-Control", "no-store");
    return http.json({ error: { code, message } }, status);
  });
  app.use(pageHeaders, async ({ env: { admitted }, set }, next) => {
    if (admitted instanceof Error) throw admitted;
    set("visitor", admitted);
    await next();
  });
  serveClient(app, basePath, title);
  serveData(app, memories, guard);
  app.all("*", () => {
    const place = basePath === "" ? "/" : basePath;
    throw new PageRefusal(404, "ENOENT", `the page has nothing at this address: it is at ${place}, its basePath`);
  });
  const answer: AnswerRequest = async (request, nodeRequest) => {
    const admitted = await guard.admit(request, nodeRequest).catch(toRefusal);
    // A response of the application itself is sent without the page's headers.
    return admitted instanceof Response ? admitted : app.fetch(request, { admitted });
  };
  // A server such as Next.js passes an object of its own after the request.
  const answerAlone = async (request: Request): Promise<Response> => {
    if (!hasMethod(getField(request, "headers"), "get"))
      throw wrongArgument("the argument of the page", "a Request (a server of Node takes page.nodeListener)", request);
    return answer(request);
  };
  return Object.assign(answerAlone, { nodeListener: createNodeListener(answer) });
}

/** Allows nothing from other servers, nothing inline, and no frame. Does not affect the rest of the server's origin. */
const pageHeaders = secureHeaders({
  contentSecurityPolicy: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'"],
    connectSrc: ["'self'"],
    imgSrc: ["'self'", "data:"],
    baseUri: ["'none'"],
    frameAncestors: ["'none'"],
    formAction: ["'none'"],
  },
  xFrameOptions: "DENY",
  strictTransportSecurity: false,
  originAgentCluster: false,
});

function serveClient(app: Hono<PageEnv>, basePath: string, title: string): void {
  const files = [
    ["/", "text/html", pageDocument(basePath, title)],
    ["/client.js", "text/javascript", unpack(clientFiles.script)],
    ["/markdown.js", "text/javascript", unpack(clientFiles.markdown)],
    ["/client.css", "text/css", unpack(clientFiles.style)],
  ] as const;
  for (const [path, type, text] of files) {
    const headers = {
      "Content-Type": `${type}; charset=utf-8`,
      "Cache-Control": "no-cache",
      ETag: `"${hashSha256(text)}"`,
    };
    app.get(path, etag(), (http) => http.body(text, 200, headers));
    app.all(path, refuseMethod);
  }
}

function unpack(file: string): string {
  return file === "" ? "" : brotliDecompressSync(Buffer.from(file, "base64")).toString();
}

function serveData(app: Hono<PageEnv>, memories: PageMemories, guard: PageGuard): void {
  app.use("/api/*", async (http, next) => {
    const request = http.req.raw;
    // Hono would answer HEAD as GET.
    if (request.method === "HEAD") refuseMethod();
    http.header("Cache-Control", "no-store");
    guard.assertOwnClient(request);
    if (request.method === "POST") guard.assertMayChange(request, http.var.visitor);
    await next();
  });
  app.get("/api/session", ({ var: { visitor }, json }) => {
    // A visitor who may see only their own memories does not see where the memories are.
    const session: Session = { ...visitor, place: visitor.owner === undefined ? (memories.place ?? null) : null };
    return json(session);
  });
  for (const { method, path, answer } of pageRoutes) {
    app.on(method, `/api/${path}`, async (http) => {
      const { visitor } = http.var;
      const { owner } = visitor;
      const seen = owner === undefined ? memories : confine(memories, owner);
      const result = await answer({
        memories: seen,
        visitor,
        signal: http.req.raw.signal,
        http,
      }).catch((error: unknown) => refuse(owner === undefined ? error : hideOthersInError(error)));
      if (result instanceof Response) return result;
      const shown = owner === undefined ? result : await runInTimeSlices(hideOthers(result, owner), null);
      return http.body(await runInTimeSlices(writeJson(shown), null), 200, { "Content-Type": "application/json" });
    });
    app.all(`/api/${path}`, refuseMethod);
  }
}

function refuseMethod(): never {
  throw new PageRefusal(405, "EINVAL", "the page answers another method at this address");
}

/** Converts every error, because Hono accepts only an Error of this process's own class. */
function refuse(error: unknown): never {
  throw toRefusal(error);
}

/** Converts a path to the path of a route. A path outside the page has no route. */
function pathBelow(basePath: string, pathname: string): string {
  if (pathname === basePath || pathname === `${basePath}/`) return "/";
  return pathname.startsWith(`${basePath}/`) && !pathname.endsWith("/") ? pathname.slice(basePath.length) : "/outside";
}
