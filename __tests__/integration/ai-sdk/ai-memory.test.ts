import { describe, expect, it } from "@jest/globals";
import { type BaseStore, InMemoryStore } from "@langchain/langgraph-checkpoint";
import type { AiMemory } from "../../../src/ai-sdk/ai-memory.js";
import { createAiMemory } from "../../../src/ai-sdk/index.js";
import { logConversation, type MemoryError, MemoryNode, MongoMemoryStore, openMemory } from "../../../src/index.js";
import { dialectNames, toolsByName } from "../../helpers/dialects-under-test.js";
import { type AiCall, type AiScript, aiSdks } from "../../helpers/ai-sdks.js";
import { readAll } from "../../helpers/read-all.js";
import { FailingStore } from "../../helpers/failing-store.js";
import { HangingStore } from "../../helpers/hanging-store.js";
import { auto, writeManyNotes } from "../../helpers/turns.js";
import { testDatabase } from "../../helpers/test-database.js";

const { client, name: dbName } = testDatabase();

const append = (path: string, content: string): AiCall => ({
  tool: "memory",
  args: { command: "append", path, content },
});

/** Calls tools at the first step, and then answers. */
function once(...calls: AiCall[]): AiScript {
  return (prompt) => (prompt.some(({ role }) => role === "tool") ? "Done it." : calls);
}

const silent: AiScript = () => "Hello to you.";

const perUser = (store: BaseStore = new InMemoryStore()): MemoryNode =>
  new MemoryNode({ store, nodeId: "assistant", scope: "perUser" });

describe.each(aiSdks)("a memory in version %d of the AI SDK", (version, sdk) => {
  it("shows in the next step and the next conversation what the model stored", async () => {
    const memory = perUser(new MongoMemoryStore({ client, dbName, memoriesCollection: `of_${version}` }));
    const ask = (script: AiScript) =>
      sdk.generate({
        memory: createAiMemory({ memory, userId: "ada", content: "full", instructions: "You cook." }),
        script,
      });
    const first = await ask(once(append("/food.md", "Is vegetarian.")));
    expect(first.outputs).toEqual(['{"command":"append","path":"/food.md","ok":true,"result":{"status":"ok"}}']);
    const [before, after] = first.prompts.map(([system]) => system?.text);
    expect(before).toMatch(
      /^You cook\.\n\n<memory scope="perUser" view="full">\nThis memory is empty; [^]*<\/memory>$/,
    );
    expect(after).toMatch(/^You cook\.\n\n<memory scope="perUser" view="full">\n[^]*\| Is vegetarian\.\n<\/memory>$/);
    const next = await ask(silent);
    expect(next.prompts).toEqual([[{ role: "system", text: after }, expect.objectContaining({ role: "user" })]]);
  });

  it("streams an answer after a call of the tool", async () => {
    const memory = perUser();
    const { pieces, prompts, outputs } = await sdk.stream({
      memory: createAiMemory({ memory, userId: "ada", content: "full" }),
      script: once(append("/food.md", "Is vegetarian.")),
    });
    expect(pieces).toEqual(["Done ", "it."]);
    expect(outputs).toHaveLength(1);
    expect(prompts[1]?.[0]?.text).toContain("| Is vegetarian.");
  });

  it("belongs to the user of each call, in one agent for all", async () => {
    const memory = perUser();
    const memoryOf = (userId: string) => createAiMemory({ memory, userId, content: "full" });
    const script: AiScript = (prompt) => {
      const text = prompt.map((message) => message.text).join();
      return text.includes("mine") ? "I know." : once(append("/note.md", "mine"))(prompt);
    };
    const outcomes = await sdk.askAgent(script, memoryOf, ["ada", "bob", "ada"]);
    expect(outcomes.map(({ outputs }) => outputs.length)).toEqual([1, 1, 0]);
    expect(outcomes[1]?.prompts[0]?.map(({ text }) => text).join()).not.toContain("mine");
    expect(outcomes[2]?.prompts[0]?.map(({ text }) => text).join()).toMatch(/You cook\.[^]*\| mine/);
    for (const user of ["ada", "bob"]) expect(await memory.memory(user).read("/note.md")).toBe("mine");
  });

  it("has no user of a model's choice", async () => {
    const memory = perUser();
    const call = { tool: "memory", args: { command: "append", path: "/a", content: "x", userId: "bob" } };
    const { outputs, tools } = await sdk.generate({
      memory: createAiMemory({ memory, userId: "ada" }),
      script: once(call),
    });
    expect(outputs).toEqual([expect.stringContaining('"code":"EINVAL"')]);
    expect(JSON.stringify(tools)).not.toMatch(/userId|threadId/);
  });

  it("comes after the system prompt of the call, and never replaces it", async () => {
    const memory = openMemory(new InMemoryStore(), { nodeId: "a" });
    await memory.write("/note", "x");
    const { prompts } = await sdk.generate({ memory: createAiMemory({ memory }), script: silent, system: "You cook." });
    const [messages = []] = prompts;
    const system = messages.filter(({ role }) => role === "system").map(({ text }) => text);
    expect(system.join("\n\n")).toMatch(/^You cook\.\n\n<memory scope="global" view="tree">[^]*\/note/);
    expect(messages.at(-1)).toMatchObject({ role: "user", text: "Hello" });
  });

  it("adds no empty message if there is nothing to show", async () => {
    const { prompts } = await sdk.generate({ memory: createAiMemory({ memory: perUser() }), script: silent });
    expect(prompts[0]?.map(({ role }) => role)).toEqual(["user"]);
  });

  it("tells onError that it cannot be read, and the call goes on", async () => {
    const store = new FailingStore();
    const errors: MemoryError[] = [];
    const memory = createAiMemory({
      memory: perUser(store),
      userId: "ada",
      instructions: "You cook.",
      onError: (error) => errors.push(error),
    });
    store.isAway = true;
    const { prompts, outputs } = await sdk.generate({ memory, script: once(append("/a", "x")) });
    expect(errors.map(({ code }) => code)).toEqual(["EIO", "EIO"]);
    expect(prompts.map(([system]) => system)).toEqual([
      { role: "system", text: "You cook." },
      { role: "system", text: "You cook." },
    ]);
    expect(outputs).toEqual([expect.stringContaining('"code":"EIO"')]);
    expect(String(outputs)).not.toContain("internal");
  });

  it("keeps system messages with their cache marks, and is a message after them", async () => {
    const memory = openMemory(new InMemoryStore(), { nodeId: "a" });
    await memory.write("/note", "x");
    const providerOptions = { anthropic: { cacheControl: { type: "ephemeral" } } };
    const instructions = { role: "system" as const, content: "You cook.", providerOptions };
    const { prompts } = await sdk.generate({ memory: createAiMemory({ memory, instructions }), script: silent });
    expect(prompts[0]?.slice(0, 2)).toEqual([
      { role: "system", text: "You cook.", providerOptions },
      { role: "system", text: expect.stringMatching(/^<memory/) },
    ]);
  });

  it("keeps the system prompt while the log of its node grows, also as a memory of the node", async () => {
    const node = perUser();
    node.setLog(true);
    const memory = node.memory("ada");
    await memory.write("/note", "x");
    const shown: (string | undefined)[] = [];
    for (const content of ["I like figs.", "And plums."]) {
      await logConversation(memory, [{ role: "user", content }], { threadId: content });
      const { prompts } = await sdk.generate({
        memory: createAiMemory({ memory }),
        script: silent,
        system: "You cook.",
      });
      expect(prompts[0]?.at(-1)?.text).toContain(`| User: ${content}`);
      shown.push(prompts[0]?.[0]?.text);
    }
    expect(new Set(shown).size).toBe(1);
  });

  it("shows paths as the tools of its dialect take them", async () => {
    const memory = perUser();
    await memory.memory("ada").write("/note.md", "x");
    const { prompts } = await sdk.generate({
      memory: createAiMemory({ memory, userId: "ada", dialects: ["claude"] }),
      script: once({ tool: "memory", args: { command: "view", path: "/memories/note.md" } }),
    });
    expect(prompts[0]?.[0]?.text).toContain("\n/memories/note.md ");
    expect(prompts[1]?.at(-1)?.text).toContain("1\tx");
  });

  it("is the last message of each step once, in its latest state", async () => {
    const memory = createAiMemory({ memory: perUser(), userId: "ada", content: "full", placement: "last_message" });
    let count = 0;
    const script: AiScript = () => (count < 3 ? [append("/log", `line ${(count += 1)}`)] : "Done it.");
    const { prompts } = await sdk.generate({ memory, script, system: "You cook." });
    expect(prompts).toHaveLength(4);
    prompts.forEach((messages, step) => {
      const shown = messages.filter(({ text }) => text.startsWith("<memory"));
      expect(messages[0]).toEqual({ role: "system", text: "You cook." });
      expect(shown).toHaveLength(1);
      expect(messages.at(-1)).toBe(shown[0]);
      expect(shown[0]?.text).toContain(step === 0 ? "This memory is empty" : `| line ${step}\n</memory>`);
    });
  });

  it.each(["after_system", "last_message"] as const)(
    "has the same part of the turn in the user's message at each step (%s), while the model writes",
    async (placement) => {
      const memory = perUser();
      await writeManyNotes(memory.memory("ada"));
      let count = 0;
      const script: AiScript = () => (count < 3 ? [append("/notes/7", `word7 is ${(count += 1)}`)] : "Done it.");
      const shown = createAiMemory({ memory, userId: "ada", ...auto, placement });
      const prompt = "What do the notes say about word7?";
      const { prompts } = await sdk.generate({ memory: shown, script, prompt, system: "You cook." });
      const users = prompts.map((messages) => messages.filter(({ role }) => role === "user").map(({ text }) => text));
      const isLast = placement === "last_message";
      expect(users.map(({ length }) => length)).toEqual(isLast ? [2, 2, 2, 2] : [1, 1, 1, 1]);
      expect(users[0]?.[0]).toMatch(
        /^<memory [^]*\| word7 is what[^]*<\/memory>\n\nWhat do the notes say about word7\?$/,
      );
      expect(new Set(users.map(([first]) => first)).size).toBe(1);
      expect(JSON.stringify(prompts[3]).match(/<memory /g)).toHaveLength(2);
      const { prompts: next } = await sdk.generate({
        memory: createAiMemory({ memory, userId: "ada", ...auto, placement }),
        script: silent,
        prompt,
      });
      expect(JSON.stringify(next)).toContain("word7 is 3");
    },
  );

  it("shows each of two memories once at each step, by one prepareStep", async () => {
    const memories = await Promise.all(
      ["Ada", "Bob"].map(async (owner) => {
        const memory = openMemory(new InMemoryStore(), { nodeId: owner });
        await writeManyNotes(memory, owner);
        return createAiMemory({ memory, ...auto });
      }),
    );
    const [one, other] = memories as [AiMemory, AiMemory];
    const prepareStep: AiMemory["prepareStep"] = async (step) => {
      const first = await one.prepareStep(step);
      const messages = (first.messages ?? step.messages) as typeof step.messages;
      return { ...first, ...(await other.prepareStep({ ...step, messages })) };
    };
    const { prompts } = await sdk.generate({
      memory: { tools: one.tools, prepareStep },
      script: once(append("/notes/7", "x")),
      prompt: "What do the notes say about word7?",
    });
    const users = prompts.map((messages) => messages.find(({ role }) => role === "user")?.text ?? "");
    expect(users[0]).toMatch(/^<memory [^]*word7 is what Bob says[^]*<memory [^]*word7 is what Ada says/);
    expect(users[1]).toBe(users[0]);
  });

  it.each([
    [{ command: "read", path: "/missing" }, "ENOENT"],
    ["no object", "EINVAL"],
  ])("answers %j by a refusal in its own form", async (args, code) => {
    const { outputs, parts, text } = await sdk.generate({
      memory: createAiMemory({ memory: perUser(), userId: "ada" }),
      script: once({ tool: "memory", args }),
    });
    expect(outputs).toEqual([expect.stringMatching(new RegExp(`"ok":false,"error":\\{.*"code":"${code}"`))]);
    expect(parts).not.toContain("tool-error");
    expect(text).toBe("Done it.");
  });

  it("ends a waiting tool when the request is aborted", async () => {
    const store = new HangingStore();
    const memory = createAiMemory({ memory: openMemory(store, { nodeId: "a" }) });
    const abort = new AbortController();
    const script: AiScript = () => {
      store.hang();
      queueMicrotask(() => setImmediate(() => abort.abort(new Error("the user left"))));
      return [append("/a", "x")];
    };
    await expect(sdk.generate({ memory, script, abortSignal: abort.signal })).rejects.toThrow("the user left");
    store.goOn();
  });

  it.each(dialectNames)("sends the schemas and descriptions of the dialect %s to the provider", async (name) => {
    const memory = createAiMemory({ memory: perUser(), userId: "ada", dialects: [name], search: true });
    const { tools } = await sdk.generate({ memory, script: silent });
    const sent = tools.map((tool) => [tool.name, tool.description, tool.inputSchema]);
    const expected = [...toolsByName([name], perUser(), { search: true }).values()].map((tool) => [
      tool.name,
      tool.description,
      tool.schema,
    ]);
    expect(new Map(sent.map((tool) => [tool[0], tool]))).toEqual(new Map(expected.map((tool) => [tool[0], tool])));
    expect(JSON.stringify(tools)).toContain("search");
  });
});

it("a tool that waits for the store ends with the signal, and throws its reason", async () => {
  const store = new HangingStore();
  const { memory } = createAiMemory({ memory: openMemory(store, { nodeId: "a" }) }).tools;
  const abort = new AbortController();
  store.hang();
  const call = memory?.execute({ command: "list", path: "/" }, { toolCallId: "1", abortSignal: abort.signal });
  while (store.asked === 0) await new Promise(setImmediate);
  const reason = new Error("the user left");
  abort.abort(reason);
  await expect(call).rejects.toBe(reason);
  store.goOn();
});

it("a dialect's options are asked for the user of the call", async () => {
  const memory = openMemory(new InMemoryStore(), { nodeId: "a" });
  const timeZone = ({ userId }: { userId?: string | undefined }) => (userId === "anna" ? "Pacific/Auckland" : "UTC");
  const clock = (): Date => new Date("2026-03-04T12:00:00Z");
  const { tools } = createAiMemory({ memory, userId: "anna", dialects: [{ name: "journal", timeZone, clock }] });
  await tools["memory_write"]?.execute({ key: "k", content: "text" }, {});
  expect(await memory.read("/2026/03/05.md")).toContain("2026-03-04T12:00:00+00:00");
});

it("the history names user, thread, run and call, and undoes the run", async () => {
  const store = new MongoMemoryStore({ client, dbName, memoriesCollection: "named", history: true });
  const memory = new MemoryNode({ store, nodeId: "assistant", scope: "perUser" });
  const { memory: tool } = createAiMemory({ memory, userId: "ada", threadId: "chat", runId: "request-7" }).tools;
  await tool?.execute({ command: "append", path: "/a", content: "x" }, { toolCallId: "call-1" });
  const own = memory.memory("ada");
  const [version] = await readAll(own.history?.list() ?? []);
  expect(version?.actor).toEqual({ userId: "ada", threadId: "chat", runId: "request-7", toolCallId: "call-1" });
  await own.history?.revert({ runId: "request-7" });
  expect((await own.snapshot()).files).toEqual([]);
});

it("each call of createAiMemory is a run of its own", async () => {
  const store = new MongoMemoryStore({ client, dbName, memoriesCollection: "runs", history: true });
  const memory = new MemoryNode({ store, nodeId: "assistant" });
  for (const content of ["x", "y"]) {
    const { memory: tool } = createAiMemory({ memory }).tools;
    await tool?.execute({ command: "append", path: "/a", content }, {});
    await tool?.execute({ command: "append", path: "/b", content }, {});
  }
  const runs = (await readAll(memory.memory().history?.list() ?? [])).map(({ actor }) => actor?.runId);
  expect(runs).toHaveLength(4);
  expect(new Set(runs).size).toBe(2);
});

describe("the options of createAiMemory", () => {
  const memory = openMemory(new InMemoryStore(), { nodeId: "a" });

  it.each([
    [undefined, "they are missing"],
    [{}, "memory: must be a MemoryNode, or a Memory"],
    [{ memory, user: "ada" }, 'unknown option "user"; "userId" was probably meant'],
    [{ memory, userId: "" }, "userId"],
    [
      { memory, dialects: ["own"] },
      "must be one of unified, claude, journal, records, { name, ...options }, or a Dialect",
    ],
    [{ memory, dialects: ["unified", "claude"] }, "both have a tool called memory"],
    [{ memory, instructions: { role: "user", content: "x" } }, "must be a text or system messages"],
    [{ memory, placement: "before_system" }, "placement"],
    [{ memory, maxChars: 0 }, "maxChars"],
  ])("%# are refused in words", (options, words) => {
    const create = (): unknown => createAiMemory(options as never);
    expect(create).toThrow(TypeError);
    expect(create).toThrow(words);
  });
});
