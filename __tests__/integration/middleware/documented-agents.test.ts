import { readFileSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, expect, it, jest } from "@jest/globals";
import { MongoMemoryStore } from "../../../src/index.js";
import { readCode, runDocumented } from "../../helpers/documented-code.js";
import { fixLog } from "../../helpers/fixed-log.js";
import { modelStandIn } from "../../helpers/model-stand-in.js";
import { turnsOf } from "../../helpers/provider-clients.js";
import { type Json, recordingServer } from "../../helpers/recording-server.js";
import { ScriptedChatModel } from "../../helpers/scripted-chat-model.js";
import { testDatabase } from "../../helpers/test-database.js";
import { withDatabase } from "../../helpers/with-database.js";

const server = recordingServer();
const { client, uri, name: dbName } = testDatabase();
const database = withDatabase(uri, dbName);
const memory = new MongoMemoryStore({ client, dbName }).memory({
  nodeId: "assistant",
  scope: "perUser",
  userId: "ada@example.com",
});
const variables = ["ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "OPENAI_API_KEY"] as const;
const before = variables.map((name) => process.env[name]);

beforeAll(() => {
  process.env["ANTHROPIC_API_KEY"] = "key";
  process.env["ANTHROPIC_BASE_URL"] = server.url;
  process.env["OPENAI_API_KEY"] = "key";
});

afterAll(() => {
  variables.forEach((name, index) => {
    if (before[index] === undefined) delete process.env[name];
    else process.env[name] = before[index];
  });
});

beforeEach(() => memory.write("/food.md", "Is vegetarian."));

it("the documented agent of another provider sends the memory", async () => {
  const lines: unknown[] = [];
  const code = readCode("docs/first-agent.md", "## `createAgent`")
    .replace('new ChatOpenAI({ model: "gpt-4.1-mini" })', '"anthropic:claude-sonnet-4-5"')
    .replace("await store.stop();", "");
  await runDocumented(code, database, { console: { log: (line: unknown) => lines.push(line) } });
  const requests = server.take();
  expect(requests).toHaveLength(2);
  expect(turnsOf(requests.at(-1) ?? {})).toEqual([
    {
      role: "system",
      texts: ["You recommend dishes.", expect.stringContaining("/food.md (14 bytes):\n| Is vegetarian.")],
    },
    {
      role: "user",
      texts: [expect.stringMatching(/^<memory [^]*\| User: I am vegetarian\.[^]*\n\nWhat shall I eat\?$/)],
    },
  ]);
  expect(lines).toEqual(["done"]);
});

it("the documented agent sends what its page shows", async () => {
  const requests: Json[] = [];
  // Not by the server of this file: only at OpenAI's own address the memory is a system message of its own.
  const fetched = jest.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    requests.push((await new Request(input, init).json()) as Json);
    return modelStandIn(input, init);
  });
  const code = readCode("docs/first-agent.md", "## `createAgent`").replace("await store.stop();", "");
  await runDocumented(code, withDatabase(uri, `${dbName}_shown`)).finally(() => fetched.mockRestore());
  const lines = turnsOf(requests.at(-1) ?? {}).flatMap(({ role, texts }) =>
    texts
      .join("")
      .split("\n")
      .map((line, index) => `${(index === 0 ? role : "").padEnd(6)} | ${line}`.trimEnd()),
  );
  const shown = /```text\n([^]*?)```/.exec(readFileSync("docs/first-agent.md", "utf8"))?.[1];
  expect(`${fixLog(lines.join("\n")).replace("Assistant: done", "Assistant: Nice to meet you.")}\n`).toBe(shown);
});

it("the documented agent with prompt caching caches prompt, memory and conversation, and the prompt alone", async () => {
  await runDocumented(readCode("docs/prompt.md", "## Placement and prompt caching"), database);
  const [request] = server.take();
  expect(request).toMatchObject({
    cache_control: { type: "ephemeral", ttl: "5m" },
    system: [
      { type: "text", text: "You recommend dishes.", cache_control: { type: "ephemeral" } },
      { type: "text", text: expect.stringMatching(/^\n\n<memory scope="perUser" view="tree">/) },
    ],
    messages: [{ role: "user" }],
  });
});

it("the documented stream has the answer in pieces, without the memory, and the memory has the note", async () => {
  const model = new ScriptedChatModel((messages) =>
    messages.at(-1)?.type === "tool"
      ? "I will remember that."
      : { tool: "memory", args: { command: "append", path: "/food.md", content: "Likes beans." } },
  );
  const pieces: string[] = [];
  await runDocumented(readCode("docs/first-agent.md", "### Streaming"), database, {
    ChatOpenAI: function ChatOpenAI() {
      return model;
    },
    process: { stdout: { write: (text: string) => pieces.push(text) } },
  });
  expect(pieces.filter((piece) => piece !== "")).toEqual(["I ", "will ", "remember ", "that."]);
  expect(await memory.read("/food.md")).toBe("Is vegetarian.\nLikes beans.");
  expect(model.calls.at(-1)?.[0]?.text).toContain("| Likes beans.");
});
