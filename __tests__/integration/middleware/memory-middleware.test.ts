import { describe, expect, it } from "@jest/globals";
import { type BaseMessage, HumanMessage, SystemMessage } from "@langchain/core/messages";
import { InMemoryStore, MemorySaver } from "@langchain/langgraph";
import {
  type AgentMiddleware,
  createAgent,
  createMiddleware,
  modelRetryMiddleware,
  summarizationMiddleware,
} from "langchain";
import { type Script, ScriptedChatModel } from "../../helpers/scripted-chat-model.js";
import { MemoryNode, MemoryTool } from "../../../src/index.js";
import { memoryMiddleware } from "../../../src/middleware/index.js";
import { freshAddress } from "../../helpers/memory-case.js";
import { brief, checkpointed, shownEntries, shownMemories } from "../../helpers/conversations.js";
import { storesUnderTest } from "../../helpers/stores-under-test.js";

const turn = (text: string) => ({ messages: [new HumanMessage(text)] });
const inThread = (thread_id: string) => ({ configurable: { thread_id } });
const store = new InMemoryStore();

/** "write tool path" makes it append to a file, once; everything else it answers. */
const scribe: Script = (messages) => {
  const asked = messages.findLast(({ type, text }) => type === "human" && !text.startsWith("<memory"));
  const [, tool, path] = /^write (\S+) (\S+)$/.exec(asked?.text ?? "") ?? [];
  const isAnswered = messages.slice(asked ? messages.indexOf(asked) : 0).some(({ type }) => type === "tool");
  return tool === undefined || path === undefined || isAnswered
    ? "done"
    : { tool, args: { path, command: "append", content: "x" } };
};

async function nodeWith(...paths: string[]): Promise<MemoryNode> {
  const node = new MemoryNode({ ...freshAddress(), store });
  for (const path of paths) await node.memory().append(path, "x");
  return node;
}

/** LangChain's own middlewares do not fit its own types under `exactOptionalPropertyTypes`. */
function foreign(middleware: unknown): AgentMiddleware {
  return middleware as AgentMiddleware;
}

async function getCalls(middleware: AgentMiddleware[], systemPrompt?: string): Promise<BaseMessage[][]> {
  const model = new ScriptedChatModel(scribe);
  await createAgent({ model, tools: [], middleware, ...(systemPrompt !== undefined && { systemPrompt }) }).invoke(
    turn("hello"),
  );
  return model.calls;
}

/** `S` is the system prompt, `M` the memory, in the order a model reads them. */
function order(messages: readonly BaseMessage[]): string {
  const text = messages.map((message) => `${message.type}[${message.text}]`).join(" ");
  return text.replaceAll(/<memory scope=[\s\S]*?<\/memory>/g, "M").replaceAll("Be kind.", "S");
}

describe.each(storesUnderTest())("memoryMiddleware for createAgent with %s", (_name, open) => {
  it("shows the memory at every call and keeps it out of the state", async () => {
    const node = new MemoryNode({ ...freshAddress(), scope: "perThread" });
    const model = new ScriptedChatModel(scribe);
    const checkpointer = new MemorySaver();
    const agent = createAgent({
      model,
      tools: [],
      systemPrompt: "Be kind.",
      middleware: [memoryMiddleware({ memory: node })],
      store: open(),
      checkpointer,
    });
    await agent.invoke(turn("write memory /a"), inThread("1"));
    const { messages } = await agent.invoke(turn("hello"), inThread("1"));
    await agent.invoke(turn("hello"), inThread("2"));
    expect(model.calls.map(shownEntries)).toEqual([[], ["/a"], ["/a"], []]);
    for (const call of model.calls) expect(call.filter(({ type }) => type === "system")).toHaveLength(1);
    expect(brief(messages)).toEqual([
      "human: write memory /a",
      "ai: ",
      'tool: {"command":"append","path":"/a","ok":true,"result":{"status":"ok"}}',
      "ai: done",
      "human: hello",
      "ai: done",
    ]);
    expect(await checkpointed(checkpointer, "1")).not.toMatch(/<memory |Be kind/);
  });
});

describe("memoryMiddleware", () => {
  it("says where the memory is empty, and leaves the request as it is in a run without its user", async () => {
    const calls = await getCalls([memoryMiddleware({ memory: await nodeWith() })], "Be kind.");
    expect(calls.map(order)).toEqual(["system[S\n\nM] human[hello]"]);
    expect(calls[0]?.[0]?.text).toContain("This memory is empty; the memory tool writes to it.");
    const perUser = new MemoryNode({ ...freshAddress(), store, scope: "perUser" });
    const without = await getCalls([memoryMiddleware({ memory: perUser, onError: () => undefined })], "Be kind.");
    expect(without.map(order)).toEqual(["system[S] human[hello]"]);
  });

  it("gives the agent the memory's tools, unless told not to", async () => {
    const memory = await nodeWith("/a");
    const boundBy = async (tools?: boolean): Promise<unknown[]> => {
      const model = new ScriptedChatModel(scribe);
      const middleware = [memoryMiddleware({ memory, ...(tools !== undefined && { tools }) })];
      await createAgent({ model, tools: [], middleware }).invoke(turn("hello"));
      expect(model.calls.map(shownEntries)).toEqual([["/a"]]);
      return model.boundTools.map((bound) => ("name" in bound ? bound.name : undefined));
    };
    expect([await boundBy(), await boundBy(true), await boundBy(false)]).toEqual([["memory"], ["memory"], []]);
  });

  it("shows two memories at once, each with a tool of its own", async () => {
    const [own, shared] = [await nodeWith(), await nodeWith("/shared")];
    const model = new ScriptedChatModel(scribe);
    const agent = createAgent({
      model,
      tools: [new MemoryTool({ memory: shared, name: "team_memory" })],
      systemPrompt: "Be kind.",
      middleware: [memoryMiddleware({ memory: own }), memoryMiddleware({ memory: shared, tools: false })],
    });
    await agent.invoke(turn("write memory /own"));
    await agent.invoke(turn("write team_memory /news"));
    expect(model.calls.map(order)).toEqual([
      expect.stringMatching(/^system\[S\n\nM\n\nM\] /),
      expect.stringMatching(/^system\[S\n\nM\n\nM\] /),
      expect.stringMatching(/^system\[S\n\nM\n\nM\] /),
      expect.stringMatching(/^system\[S\n\nM\n\nM\] /),
    ]);
    expect(shownEntries(model.calls[3] ?? [])).toEqual(["/own", "/news", "/shared"]);
  });

  it("shows the global and the thread's memory of one node at once", async () => {
    const shared = await nodeWith("/shared");
    const own = new MemoryNode({ nodeId: shared.nodeId, store, scope: "perThread" });
    await own.memory("1").append("/own", "x");
    const model = new ScriptedChatModel(scribe);
    const middleware = [memoryMiddleware({ memory: shared, tools: false }), memoryMiddleware({ memory: own })];
    await createAgent({ model, tools: [], middleware }).invoke(turn("hello"), inThread("1"));
    expect(shownEntries(model.calls[0] ?? [])).toEqual(["/shared", "/own"]);
  });

  it("refuses two tools of one name, of which the wrong one might be called", async () => {
    const [own, shared] = [await nodeWith("/a"), await nodeWith("/b")];
    const model = new ScriptedChatModel(scribe);
    const both = createAgent({
      model,
      tools: [],
      middleware: [memoryMiddleware({ memory: own }), memoryMiddleware({ memory: shared })],
    });
    await expect(both.invoke(turn("hello"))).rejects.toThrow("two tools called memory");
    const twice = createAgent({
      model,
      tools: [new MemoryTool({ memory: own })],
      middleware: [memoryMiddleware({ memory: own })],
    });
    await expect(twice.invoke(turn("hello"))).rejects.toThrow("two tools called memory");
    expect(model.calls).toEqual([]);
  });

  it.each([
    [{}, "MemoryNode"],
    [{ memory: {} }, "MemoryNode"],
    [{ memory: new MemoryNode(freshAddress()), placement: "top" }, "placement"],
  ])("cannot be made of the options %j", (options, named) => {
    expect(() => memoryMiddleware(options as never)).toThrow(TypeError);
    expect(() => memoryMiddleware(options as never)).toThrow(named);
  });
});

describe("memoryMiddleware among others", () => {
  const addsPrompt = createMiddleware({
    name: "AddsPrompt",
    wrapModelCall: (request, handler) =>
      handler({ ...request, systemMessage: request.systemMessage.concat(new SystemMessage(" Be brief.")) }),
  });

  it("works inside and outside of one that adds to the system prompt", async () => {
    const memory = memoryMiddleware({ memory: await nodeWith("/a") });
    expect((await getCalls([addsPrompt, memory], "Be kind.")).map(order)).toEqual([
      "system[S Be brief.\n\nM] human[hello]",
    ]);
    expect((await getCalls([memory, addsPrompt], "Be kind.")).map(order)).toEqual([
      "system[S\n\nM Be brief.] human[hello]",
    ]);
  });

  it.each(["outside", "inside"])("is put in once by each try when a retry is %s of it", async (where) => {
    let tries = 0;
    const model = new ScriptedChatModel(() => {
      tries += 1;
      if (tries < 3) throw new Error("try again");
      return "done";
    });
    const retry = foreign(modelRetryMiddleware({ maxRetries: 3, initialDelayMs: 0, jitter: false }));
    const memory = memoryMiddleware({ memory: await nodeWith("/a") });
    const middleware = where === "outside" ? [retry, memory] : [memory, retry];
    await createAgent({ model, tools: [], systemPrompt: "Be kind.", middleware }).invoke(turn("hello"));
    expect(model.calls.map(order)).toEqual(Array.from({ length: 3 }, () => "system[S\n\nM] human[hello]"));
  });

  it.each(["outside", "inside"])("stays whole when a summarization is %s of it", async (where) => {
    const model = new ScriptedChatModel(scribe);
    const summarizer = new ScriptedChatModel(() => "They greeted each other.");
    const options = { model: summarizer, trigger: { messages: 4 }, keep: { messages: 1 } };
    const summary = foreign(summarizationMiddleware(options as never));
    const memory = memoryMiddleware({ memory: await nodeWith("/a") });
    const middleware = where === "outside" ? [summary, memory] : [memory, summary];
    const checkpointer = new MemorySaver();
    const agent = createAgent({ model, tools: [], systemPrompt: "Be kind.", middleware, checkpointer });
    for (const text of ["one", "two", "three"]) await agent.invoke(turn(text), inThread("1"));
    for (const call of model.calls) expect([shownMemories(call).length, call[0]?.type]).toEqual([1, "system"]);
    expect(order(model.calls.at(-1) ?? [])).toContain("They greeted each other.");
    expect(summarizer.calls.flatMap(shownMemories)).toEqual([]);
    expect(await checkpointed(checkpointer, "1")).not.toContain("<memory ");
  });
});
