import { faultAnswer, fileAnswer, jsonAnswer, PageRefusal } from "./answers.js";
import { readJson } from "./body.js";
import { type ClientFile, clientFile } from "./client-file.js";
import { clientFiles } from "./client-files.js";
import { pageDocument } from "./document.js";
import { queryOf } from "./fields.js";
import { PageGuard, type Visitor } from "./guard.js";
import { OpenedMemories } from "./opened-memories.js";
import { checkPageOptions, type MemoryPageOptions, pageDefaults } from "./options.js";
import type { PageMemories, Route } from "./route.js";
import { changeRoutes } from "./routes/changes.js";
import { fileRoutes } from "./routes/files.js";
import { memoryRoutes } from "./routes/memories.js";
import { messageRoutes } from "./routes/message.js";
import { proposalRoutes } from "./routes/proposals.js";
import { searchRoutes } from "./routes/search.js";
import { versionRoutes } from "./routes/versions.js";
import { WatchLimit } from "./watch-limit.js";

/** Answers each request below its `basePath`, for any server that knows `Request` and `Response`. It never rejects. */
export type MemoryPage = (request: Request) => Promise<Response>;

/**
 * A web page that shows the memories of a store: files, versions, proposals, and what a model is shown. It is read-only
 * unless `access` is "write", and loads nothing from elsewhere. Without `authorize` it answers only under the names of
 * the loopback, and only to a browser that knows the `token`.
 *
 * @throws TypeError for bad options, and where neither `authorize` nor `token` is given
 */
export function createMemoryPage(options: MemoryPageOptions): MemoryPage {
  checkPageOptions(options);
  const { store, nodes = [] } = options;
  const opened = new OpenedMemories((address) => store.memory(address, { paths: "posix" }));
  const memories: PageMemories = {
    memory: (address) => opened.memory(address),
    nodeOf: ({ nodeId, scope }) => nodes.find((node) => node.nodeId === nodeId && node.scope === scope),
    listMemories: (filter) => store.listMemories(filter),
    forget: (who) => store.forget(who),
  };
  return pageOver(memories, options);
}

/** The same over any source of memories. @param options which are checked */
export function pageOver(memories: PageMemories, options: Omit<MemoryPageOptions, "store" | "nodes">): MemoryPage {
  const {
    basePath = pageDefaults.basePath,
    access = pageDefaults.access,
    maxWatchedMemories = pageDefaults.maxWatchedMemories,
    token,
    authorize,
  } = options;
  const guard = new PageGuard({ access, token, authorize });
  const page = new Page(memories, { guard, basePath, maxWatchedMemories });
  return async (request) => {
    try {
      const url = new URL(request.url);
      const visitor = await guard.admit(request, url);
      return visitor instanceof Response ? visitor : await page.answer(request, url, visitor);
    } catch (error) {
      if (request.signal.aborted) return new Response(null, { status: 499 });
      return faultAnswer(error);
    }
  };
}

const routes = new Map<string, Route>(
  [
    ...memoryRoutes,
    ...changeRoutes,
    ...fileRoutes,
    ...searchRoutes,
    ...versionRoutes,
    ...proposalRoutes,
    ...messageRoutes,
  ].map((each) => [`${each.method} ${each.path}`, each]),
);

const script = clientFile("text/javascript", clientFiles.script);
const markdown = clientFile("text/javascript", clientFiles.markdown);
const style = clientFile("text/css", clientFiles.style);

interface PageParts {
  guard: PageGuard;
  basePath: string;
  maxWatchedMemories: number;
}

class Page {
  readonly #memories: PageMemories;
  readonly #watched: WatchLimit;
  readonly #guard: PageGuard;
  readonly #basePath: string;
  readonly #files: ReadonlyMap<string, ClientFile>;

  constructor(memories: PageMemories, { guard, basePath, maxWatchedMemories }: PageParts) {
    this.#memories = memories;
    this.#watched = new WatchLimit(maxWatchedMemories);
    this.#guard = guard;
    this.#basePath = basePath;
    const document = clientFile("text/html", pageDocument(basePath));
    this.#files = new Map([
      ["/", document],
      ["/client.js", script],
      ["/markdown.js", markdown],
      ["/client.css", style],
    ]);
  }

  async answer(request: Request, { pathname, searchParams }: URL, visitor: Visitor): Promise<Response> {
    const path = pathname.startsWith(`${this.#basePath}/`)
      ? pathname.slice(this.#basePath.length)
      : pathname === this.#basePath
        ? "/"
        : null;
    if (path?.startsWith("/api/") !== true) return this.#file(request, path);
    this.#guard.assertOwnClient(request);
    const name = path.slice("/api/".length);
    if (name === "session" && request.method === "GET")
      return jsonAnswer({ access: visitor.access, userId: visitor.userId });
    const found = routes.get(`${request.method} ${name}`);
    if (found === undefined)
      throw routes.has(`GET ${name}`) || routes.has(`POST ${name}`) ? wrongMethod() : nothingThere();
    if (found.method === "POST") this.#guard.assertMayChange(request, visitor);
    const input = found.method === "POST" ? await readJson(request) : queryOf(searchParams);
    const answer = await found.answer(input, {
      memories: this.#memories,
      watched: this.#watched,
      visitor,
      signal: request.signal,
    });
    return answer instanceof Response ? answer : jsonAnswer(answer);
  }

  #file(request: Request, path: string | null): Response {
    const file = path === null ? undefined : this.#files.get(path);
    if (request.method !== "GET") throw path === null ? nothingThere() : wrongMethod();
    if (file === undefined) throw nothingThere();
    return fileAnswer(request, file);
  }
}

function nothingThere(): PageRefusal {
  return new PageRefusal(404, "ENOENT", "the page has nothing at this address");
}

function wrongMethod(): PageRefusal {
  return new PageRefusal(405, "EINVAL", "the page answers another method at this address");
}
