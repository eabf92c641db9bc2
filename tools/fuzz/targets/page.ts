import fc from "fast-check";
import { askPage, type PageAnswer, pageToken, tellPage } from "../../../__tests__/helpers/page-client.js";
import { MongoMemoryStore } from "../../../src/mongodb/store/mongo-memory-store.js";
import { createMemoryPage } from "../../../src/page/memory-page.js";
import { pageRoutes } from "../../../src/page/routes/routes.js";
import { text } from "../../../__tests__/helpers/inputs/texts.js";
import { assertClean } from "../oracle.js";
import { toSandbox, type Target } from "../target.js";
import { plantNeighbours } from "./neighbours.js";

interface PageRequest {
  route: string;
  query: Record<string, string>;
  /** Null: the request asks, and changes nothing. */
  body: string | null;
  host: string;
}

const routes = [...pageRoutes.map(({ path }) => path), "none"];

/** Parts that are slow to parse, or that make many values, when a body repeats them. */
const part = fc.constantFrom("[", "{", '{"a":', '"a":1,', "{},", "1,", "\\u0000", '"', "}", "]", " ", "é");
const hostileBody = fc
  .tuple(fc.array(part, { minLength: 1, maxLength: 4 }), fc.integer({ min: 1, max: 400_000 }))
  .map(([parts, length]) => {
    const unit = parts.join("");
    return unit.repeat(Math.ceil(length / unit.length));
  });

const good = ["localhost:4000", "127.0.0.1:4000", "[::1]:4000"];
const bad = ["127.1", "0x7f000001", "2130706433", "evil@127.0.0.1", "example.com", "a b", "", "[::", "localhost:1:2"];
const host = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...good) },
  { weight: 1, arbitrary: fc.constantFrom(...bad) },
);

const fields = [
  "nodeId",
  "threadId",
  "userId",
  "scope",
  "path",
  "offset",
  "limit",
  "id",
  "query",
  "at",
  "view",
  "named",
];
const query = fc.dictionary(
  fc.constantFrom(...fields),
  fc.oneof(text, fc.constantFrom("/a", "1", "-1", "global", "memory", "memories")),
  {
    maxKeys: 5,
  },
);

/** A refusal of the page is short, whatever was sent. */
const maxRefusalChars = 8000;

export const page: Target = {
  name: "page",
  tries: "requests to every route: bodies of up to 400 kB, query fields, host names",
  casesPerSandbox: 100,
  open: async ({ client, dbName }, id) => {
    const collections = { itemsCollection: `${id} items`, memoriesCollection: `${id} memories` };
    const store = new MongoMemoryStore({ client, dbName, history: true, ...collections });
    const shown = createMemoryPage({ store, token: pageToken, access: "write" });
    const hidden = new MongoMemoryStore({ client, dbName, memoriesCollection: `${id} hidden` });
    const assertUnchanged = await plantNeighbours((address) => hidden.memory(address), { nodeId: id, threadId: "t" });
    await store.memory({ nodeId: "n" }).write("/a", "text");
    return toSandbox<PageRequest>({
      inputs: fc.record({
        route: fc.constantFrom(...routes),
        query,
        body: fc.oneof({ weight: 2, arbitrary: hostileBody }, { weight: 1, arbitrary: fc.constant(null) }),
        host,
      }),
      call: async (request, measure) => {
        const { status, text: answer } = await measure(() => send(request));
        assertClean(answer);
        if (status >= 500) throw new Error(`status ${status}: ${answer.slice(0, 500)}`);
        if (status >= 400 && answer.length > maxRefusalChars)
          throw new Error(`a refusal of ${answer.length} characters: ${answer.slice(0, 500)}`);
        return String(status);
      },
      close: assertUnchanged,
    });

    function send({ route, query: search, body, host: name }: PageRequest): Promise<PageAnswer> {
      const path = `/api/${route}?${new URLSearchParams(search).toString()}`;
      return body === null ? askPage(shown, path, { host: name }) : tellPage(shown, path, body, { host: name });
    }
  },
};
