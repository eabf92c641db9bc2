import { describe, expect, it } from "@jest/globals";
import {
  logConversation,
  type MemoryAddress,
  type MemoryExplanation,
  MemoryNode,
  MongoMemoryStore,
} from "../../../src/index.js";
import { createMemoryPage } from "../../../src/page/index.js";
import { freshAddress } from "../../helpers/memory-case.js";
import { askPage, pageQuery, pageToken } from "../../helpers/page-client.js";
import { cliJson } from "../../helpers/run-cli.js";
import { testDatabase } from "../../helpers/test-database.js";

const { client, uri, name: dbName } = testDatabase();
const store = new MongoMemoryStore({ client, dbName, history: true });
const fact = "The code of the cellar door is 471147114711.";
const question = "What is the code of the cellar door?";
const small = { content: "auto", maxChars: 1000 } as const;
const filler = Array.from({ length: 100 }, (_, day) => `Day ${day} was quiet.\n`).join("");
const guard = ({ content }: { content: string }): void => {
  if (content.includes("4711")) throw new Error("no codes");
};

interface Given {
  /** Says the fact to a memory, and hides it there. */
  hide: (nodeId: string) => Promise<unknown>;
  node?: Partial<ConstructorParameters<typeof MemoryNode>[0]>;
  config?: { content?: "auto"; maxChars?: number };
}

const ada = (nodeId: string): MemoryAddress => ({ nodeId, scope: "perUser", userId: "ada" });
const log = (nodeId: string, text = fact): Promise<number> =>
  logConversation(store.memory(ada(nodeId)), [{ role: "user", content: text }], { threadId: "t" });

/** Explains the question to the program, on the page and in the command line. */
async function explainEverywhere(nodeId: string, { node: options = {}, config }: Given): Promise<MemoryExplanation[]> {
  const node = new MemoryNode({ store, nodeId, scope: "perUser", log: true, ...options });
  const connector = node.createConnector(config);
  const page = createMemoryPage({ store, token: pageToken, nodes: [node] });
  const { json } = await askPage(page, `/api/message?${pageQuery({ ...ada(nodeId), question })}`);
  const form = Object.entries({ "--content": config?.content, "--max-chars": config?.maxChars }).flatMap(
    ([flag, value]) => (value === undefined ? [] : [flag, String(value)]),
  );
  const target = ["--uri", uri, "--db", dbName, "--node", nodeId, "--user", "ada"];
  const { ok: _ok, ...printed } = await cliJson(["prompt", "--question", question, ...form, ...target]);
  return [
    await connector.explain({ run: { userId: "ada" }, question }),
    (json as { explanation: MemoryExplanation }).explanation,
    printed as unknown as MemoryExplanation,
  ];
}

describe("a fact that a model does not see is explained to program, page and command line alike", () => {
  it.each<[string, Given, expected: [reason: string, path?: string]]>([
    [
      "of another user",
      {
        hide: async (nodeId) => {
          await log(nodeId, "Hello.");
          await store.memory({ nodeId, scope: "perUser", userId: "ben" }).write("/door", fact);
        },
      },
      ["otherOwner"],
    ],
    [
      "of another scope",
      {
        hide: async (nodeId) => {
          await log(nodeId, "Hello.");
          await store.memory({ nodeId }).write("/door", fact);
        },
      },
      ["otherScope"],
    ],
    [
      "that was said without a log",
      { hide: (nodeId) => store.memory(ada(nodeId)).write("/other", "Likes tea."), node: { log: false } },
      ["noLog"],
    ],
    [
      "without room",
      {
        hide: async (nodeId) => {
          const said = Array.from({ length: 100 }, (_, day) => `On day ${day} the cellar door had a code.\n`).join("");
          await log(nodeId, "Hello.");
          await store.memory(ada(nodeId)).write("/door", `${said}${fact.replace("cellar", "garage")}`);
        },
        config: small,
      },
      ["room", "/door"],
    ],
    [
      "in other words",
      {
        hide: async (nodeId) => {
          await log(nodeId, filler);
          await store.memory(ada(nodeId)).write("/house", "Enter 4711 downstairs.");
          await store.memory(ada(nodeId)).write("/new", filler);
        },
        config: small,
      },
      ["noCommonWord", "/house"],
    ],
    [
      "that the guard refused",
      {
        hide: (nodeId) =>
          logConversation(
            new MemoryNode({ store, nodeId, scope: "perUser", guard }).memory("ada"),
            [
              { role: "user", content: fact },
              { role: "assistant", content: "Noted." },
            ],
            { threadId: "t", at: new Date("2026-03-02T09:05:00Z") },
          ),
        node: { guard },
      },
      ["refusedByGuard", "/conversations/2026-03-02/t.md"],
    ],
    [
      "that was redacted",
      {
        hide: async (nodeId) => {
          await log(nodeId, "Hello.");
          const memory = store.memory(ada(nodeId));
          await memory.write("/door", fact);
          await memory.history?.redact({ text: "471147114711", cut: true });
        },
      },
      ["redacted", "/door"],
    ],
  ])("%s", async (_name, given, [reason, path]) => {
    const { nodeId } = freshAddress();
    await given.hide(nodeId);
    const [program, ...others] = await explainEverywhere(nodeId, given);
    expect(others).toEqual([program, program]);
    expect(program?.parts.join("\n")).not.toContain("4711");
    expect(program?.leftOut).toContainEqual(expect.objectContaining({ reason, ...(path !== undefined && { path }) }));
    const general = ["noLog", "refusedByGuard", "redacted", "otherOwner", "otherScope"];
    const found = program?.leftOut.map((row) => row.reason).filter((each) => general.includes(each));
    expect(found).toEqual(general.includes(reason) ? [reason] : []);
  });

  it("without the memories of others on the page of one person", async () => {
    const { nodeId } = freshAddress();
    await log(nodeId, "Hello.");
    await store.memory({ nodeId, scope: "perUser", userId: "ben" }).write("/door", fact);
    const node = new MemoryNode({ store, nodeId, scope: "perUser", log: true });
    const page = createMemoryPage({ store, nodes: [node], authorize: () => ({ owner: { userId: "ada" } }) });
    const { json } = await askPage(page, `/api/message?${pageQuery({ ...ada(nodeId), question })}`);
    expect((json as { explanation: MemoryExplanation }).explanation.leftOut).toEqual([]);
  });

  it("and its parts are those of a prompt", async () => {
    const { nodeId } = freshAddress();
    await log(nodeId, filler);
    await store.memory(ada(nodeId)).write("/door", fact);
    const node = new MemoryNode({ store, nodeId, scope: "perUser", log: true });
    const run = { userId: "ada" };
    const { parts, shown } = await node.createConnector(small).explain({ run, question });
    expect(parts.join("\n\n")).toBe((await node.createConnector(small).renderMessage({ ...run, question }))?.text);
    const [door] = shown.filter(({ path }) => path === "/door");
    expect(door).toEqual({ path: "/door", startLine: 1, endLine: 1, score: expect.any(Number) });
  });
});
