import { afterAll, beforeAll, beforeEach, expect, it } from "@jest/globals";
import { MongoMemoryStore } from "../../../src/index.js";
import { readCode, runDocumented } from "../../helpers/documented-code.js";
import { turnsOf } from "../../helpers/provider-clients.js";
import { recordingServer } from "../../helpers/recording-server.js";
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
const variables = ["ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"] as const;
const before = variables.map((name) => process.env[name]);

beforeAll(() => {
  process.env["ANTHROPIC_API_KEY"] = "key";
  process.env["ANTHROPIC_BASE_URL"] = server.url;
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
