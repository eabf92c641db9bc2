import type { Requirements } from "./requirement.js";

export const page: Requirements = {
  "page.views": {
    source: "specification section 18",
    says: "the page shows memories, trees, texts, search, versions with diffs and blame, proposals, and what a model is shown",
  },
  "page.sorted": {
    source: "specification section 18",
    says: "the list of memories begins with the last change, and is sorted by each column as a whole, numbers as numbers",
  },
  "page.header": {
    source: "specification section 18",
    says: "the page says in its header which database it shows, on which host, and what may be done",
  },
  "page.connector": {
    source: "specification section 18",
    says: "what the model sees is what the first connector of the node writes, now and as it was, or what the defaults give, and the page says which",
  },
  "page.overview": {
    source: "specification section 18",
    says: "a memory opens on what has changed, what waits, how much of the prompt it takes, and its first file",
  },
  "page.keys": {
    source: "specification section 18",
    says: "keys search and open a single hit; a key lists them, and they can be turned off",
  },
  "page.mounts": {
    source: "specification section 18",
    says: "the page shows the nodes that it is given with what is mounted in them, and with the rights there",
  },
  "page.live": {
    source: "specification section 18",
    says: "changes appear on the page without a reload, and within 5 s the page says when they no longer do",
  },
  "page.actions": {
    source: "specification section 18",
    says: "with access write the page reverts, redacts, forgets, approves, edits and rejects, and shows first what it would do",
  },
  "page.edits": {
    source: "specification section 18",
    says: "with access write a person writes, renames and deletes files under the guard and the limits of the node; where others were faster nothing is stored, and the difference is shown",
  },
  "page.inbox": {
    source: "specification section 18",
    says: "the page shows the proposals of all memories in one list, with their number wherever it is open",
  },
  "page.read-only": {
    source: "specification section 18",
    says: "the page changes nothing unless its access is write",
  },
  "page.loopback": {
    source: "specification section 18",
    says: "without authorize the page needs a token, and answers under the names of the loopback only",
  },
  "page.authorize": {
    source: "specification section 18",
    says: "authorize decides about each request, who asks and what they may do; if it throws, the request is refused",
  },
  "page.owner": {
    source: "specification section 18",
    says: "an owner sees, corrects, exports and deletes their own memories, and no answer tells of anything of others",
  },
  "page.forgery": {
    source: "specification section 18",
    says: "requests of other origins, without the token or with a wrong one, change nothing and learn nothing",
  },
  "page.hostile": {
    source: "specification section 18",
    says: "no content of a memory runs a script on the page, or makes it load anything from elsewhere",
  },
  "page.silent": {
    source: "specification section 18",
    says: "no refusal holds a stack or the address of a server, and only an admitted visitor learns where the memories are",
  },
  "page.any-server": {
    source: "specification section 18",
    says: "the page is one function from Request to Response, which runs in Node's http, Express, Fastify, Hono and Next.js",
  },
  "page.accessible": {
    source: "specification section 18",
    says: "the page can be used by keyboard alone, and a checker of accessibility finds nothing serious",
  },
  "page.large": {
    source: "specification section 18",
    says: "of large trees and files a part is in the document, and more on request",
  },
  "page.limits": {
    source: "specification section 18",
    says: "a body that is too long or too deep is refused before it is parsed, and no refusal is long",
  },
  "page.weight": {
    source: "specification section 18",
    says: "the client of the page takes at most 80 kB of the package and 200 kB in the browser, and loads nothing else",
  },
};
