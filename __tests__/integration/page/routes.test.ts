import { randomUUID } from "node:crypto";
import { inspect } from "node:util";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { type Memory, MemoryNode, MongoMemoryStore, openMemory } from "../../../src/index.js";
import { createMemoryPage } from "../../../src/page/index.js";
import { askPage, pageToken, tellPage } from "../../helpers/page-client.js";
import { change, learnWith } from "../../helpers/scripted-learning.js";
import { getHistory } from "../../helpers/store-calls.js";
import { testDatabase } from "../../helpers/test-database.js";
import { createNames, runStep, testLines } from "../../helpers/line-transcripts.js";

const { client, name: dbName } = testDatabase();
const store = new MongoMemoryStore({ client, dbName, history: true });
const token = pageToken;

async function propose(of: MongoMemoryStore, nodeId: string, userId: string | undefined, path: string): Promise<void> {
  const scope = userId === undefined ? "global" : "perUser";
  const rules = [{ path: "/**", access: "ask" as const }];
  const [tool] = new MemoryNode({ store: of, nodeId, scope, rules, onAsk: "propose" }).memoryTools;
  await tool?.invoke({ command: "append", path, content: `Text of ${path}.\n` }, { configurable: { user_id: userId } });
}

testLines("routes", () => {
  const [nodeId, userId, logging, mounted, team, house] = Array.from({ length: 6 }, () => randomUUID()) as [
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  const memory = store.memory({ nodeId });
  const ofUser = store.memory({ nodeId, scope: "perUser", userId });
  const inbox = new MongoMemoryStore({ client, dbName, memoriesCollection: `memories ${nodeId}` });
  const mounts = {
    "/team": { nodeId: team, description: "What the team knows" },
    "/house/rules": { memory: openMemory(new InMemoryStore(), { nodeId: house }), access: "read" as const },
    // The page of a user knows no thread.
    "/talk": { nodeId: team, scope: "perThread" as const },
  };
  const ofMounts = new MemoryNode({ store, nodeId: mounted, scope: "perUser", mounts });
  ofMounts.createConnector({ content: "full" });
  const nodes = [
    new MemoryNode({ store, nodeId: logging, log: { path: "/said" } }),
    ofMounts,
    new MemoryNode({ store, nodeId }),
  ];
  const pages: Record<string, ReturnType<typeof createMemoryPage>> = {
    writer: createMemoryPage({ store, token, access: "write" }),
    reader: createMemoryPage({ store, token }),
    nodes: createMemoryPage({ store, token, access: "write", nodes }),
    eve: createMemoryPage({ store, access: "write", authorize: () => ({ owner: { userId: "eve" } }) }),
    inbox: createMemoryPage({ store: inbox, token, access: "write" }),
  };
  const by = (runId: string): Memory => memory.with({ actor: { agent: "scribe", runId } });
  const write =
    (path: string, ...texts: string[]) =>
    async () => {
      for (const text of texts) await memory.write(path, text);
    };
  const given = {
    "a memory of all and one of Ada": async () => {
      await memory.write("/a", "likes tea\n");
      await ofUser.write("/b", "hates tea\nand tea again\n");
    },
    "three files, of which one is deleted": async () => {
      for (const name of ["a", "b", "c"]) await memory.write(`/d/${name}`, name);
      await memory.delete("/d/b");
    },
    "lines about milk": async () => {
      await memory.write("/a.md", "one\ntwo milk, more milk\n\nMilk\nshe is allergic to peanuts");
      await memory.write("/b.md", `${"x".repeat(9000)}milk${"y".repeat(9000)}`);
    },
    "files in the log and beside it": async () => {
      for (const id of [logging, nodeId])
        for (const path of ["/said/a.md", "/said-not/a.md", "/conversations/a.md"])
          await store.memory({ nodeId: id }).write(path, "x");
    },
    "a memory with mounts": async () => {
      await store.memory({ nodeId: team }).write("/plan", "win at chess\n");
      await store.memory({ nodeId: mounted, scope: "perUser", userId: "ada" }).write("/own", "plays chess\n");
      await store.memory({ nodeId: mounted }).write("/shared", "for all\n");
    },
    "two runs that write a file": async () => {
      await by("r1").write("/a", "one\ntwo\n");
      await by("r2").update("/a", "two", "three");
    },
    "a file that moved and went": async () => {
      await memory.write("/a", "one\n");
      await memory.write("/other", "between\n");
      await memory.rename("/a", "/b");
      await memory.write("/b", "two\n");
      await memory.delete("/b");
    },
    "its texts are redacted": () => getHistory(memory).redact({ path: "/b" }),
    "102 versions": write("/log", ...Array.from({ length: 102 }, (_, index) => String(index))),
    "an untidy memory": async () => {
      await memory.write("/a.md", "# Tea\n\nsee [the pot](pot.md)\n");
      await memory.write("/empty.md", "");
    },
    "a secret in two versions": write("/a", "secret", "other", "secret", "last"),
    "three proposals": async () => {
      for (const path of ["/policy", "/policy", "/other"]) await propose(store, nodeId, undefined, path);
    },
    "proposals in two memories": async () => {
      await propose(inbox, "support", "ada", "/a");
      await propose(inbox, "writer", undefined, "/b");
      await propose(inbox, "support", "ada", "/c");
    },
    "two changes that were learnt from a note": async () => {
      await memory.with({ actor: { userId: "ada", client: "our app" } }).write("/inbox/a.md", "Ada moved to Oslo.");
      await learnWith(
        memory,
        ["ada", "bob"].map((name) => change("write", `/profile/${name}.md`, { text: `${name} lives in Norway.` })),
      );
    },
    "a text": write("/a", "now\n"),
  };
  const { toReal, toShown } = createNames({
    "@": `{"nodeId":"${nodeId}","scope":"global"}`,
    NODE: nodeId,
    USER: userId,
    LOGGING: logging,
    MOUNTED: mounted,
    TEAM: team,
    HOUSE: house,
  });
  return async (line) => {
    if (line.startsWith("given ")) return runStep(given, line);
    const [, name = "writer", method = "", route = "", rest = ""] =
      /^(?:(\w+) )?([A-Z]+) (\S+) ?(.*)$/.exec(line) ?? [];
    const page = pages[name];
    if (page === undefined) throw new Error(`there is no page ${name}`);
    const query = toReal(rest.replace("@", "nodeId=NODE").replaceAll(" ", "&"));
    const headers = { "memory-page-token": token };
    const answer =
      method === "POST"
        ? await tellPage(page, `/api/${route}`, toReal(rest))
        : await askPage(page, `/api/${route}?${query}`, headers, method);
    const { status, json, text } = answer;
    const shape = { depth: null, breakLength: 140, compact: 8, maxArrayLength: 5, maxStringLength: 300 };
    const shown = json === null ? text.trimEnd() : inspect(json, shape);
    return toShown(`${status === 200 ? "" : `${status}\n`}${shown}`);
  };
});
