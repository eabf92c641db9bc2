import { randomUUID } from "node:crypto";
import { getEventListeners } from "node:events";
import { describe, expect, it } from "@jest/globals";
import { AIMessage, HumanMessage, RemoveMessage } from "@langchain/core/messages";
import { MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { createAgent } from "langchain";
import { type Memory, type MemoryError, MemoryNode, MongoMemoryStore } from "../../../src/index.js";
import { createLearnNode, learnMiddleware, type LearnOptions } from "../../../src/learn/index.js";
import { createLearningModel, getNewTexts, type LearningModel } from "../../helpers/learning-model.js";
import { change, learnFrom } from "../../helpers/scripted-learning.js";
import { untyped } from "../../helpers/memory-case.js";
import { readAll } from "../../helpers/read-all.js";
import { ScriptedChatModel } from "../../helpers/scripted-chat-model.js";
import { testDatabase } from "../../helpers/test-database.js";

const { client, name: dbName } = testDatabase("standalone");
const store = new MongoMemoryStore({ client, dbName, history: true });

type NodeOptions = Omit<Parameters<typeof createLearnNode>[0], "memory" | "model">;

const config = (thread: string, user = "ada"): object => ({ configurable: { thread_id: thread, user_id: user } });

const newNode = (nodeId: string = randomUUID()): MemoryNode => new MemoryNode({ store, nodeId, scope: "perUser" });

function createGraph(memory: MemoryNode, { model }: LearningModel, options: NodeOptions = {}) {
  return new StateGraph(MessagesAnnotation)
    .addNode("answer", ({ messages }) => ({ messages: [new AIMessage(`Answer to ${messages.at(-1)?.text}`)] }))
    .addNode("learn", createLearnNode({ memory, model, ...options }))
    .addEdge(START, "answer")
    .addEdge("answer", "learn")
    .compile({ checkpointer: new MemorySaver() });
}

/** Reads the time behind some words of a prompt, which is that of the zone with the earliest days. */
function readTime(prompt = "", words: string): number {
  const [, day, time] = new RegExp(`${words} (\\S+) (\\S+) \\(Pacific/Kiritimati\\)`).exec(prompt) ?? [];
  return Date.parse(`${day}T${time}+14:00`);
}

describe("createLearnNode", () => {
  it("learns from each message of a thread once, whatever process runs it", async () => {
    const memory = newNode();
    const learner = createLearningModel(() => []);
    const graph = createGraph(memory, learner);
    await graph.invoke({ messages: [new HumanMessage("one")] }, config("t"));
    await graph.invoke({ messages: [new HumanMessage("two")] }, config("t"));
    const { messages } = (await graph.getState(config("t"))).values as { messages: [] };
    // Another process knows only the database.
    await createLearnNode({ memory: newNode(memory.nodeId), model: learner.model })(
      { messages: [...messages, new HumanMessage("three")] },
      config("t"),
    );
    expect(learner.prompts.map(getNewTexts)).toEqual([["one", "Answer to one"], ["two", "Answer to two"], ["three"]]);
  });

  it("proposes for the run's own user, and adds nothing to the state", async () => {
    const memory = newNode();
    const learner = createLearningModel(() => [change("write", "/profile/ada.md", { text: "Likes tea." })]);
    const state = await createGraph(memory, learner).invoke(
      { messages: [new HumanMessage("I like tea.")] },
      config("t"),
    );
    expect(state.messages.map(({ text }) => text)).toEqual(["I like tea.", "Answer to I like tea."]);
    const waiting = await readAll(memory.memory("ada").proposals?.list() ?? []);
    expect(waiting.map(({ path, origin }) => [path, origin?.trust])).toEqual([["/profile/ada.md", "person"]]);
    expect(await readAll(memory.memory("bob").proposals?.list() ?? [])).toEqual([]);
  });

  it.each([
    ["a name", "Pacific/Kiritimati"],
    [
      "a function of the run",
      ({ userId }: { userId?: string | undefined }) => (userId === "ada" ? "Pacific/Kiritimati" : "UTC"),
    ],
  ])("gives the model the time of a message in the zone of the memory's log, which is %s", async (_title, timeZone) => {
    const start = Date.now();
    const memory = new MemoryNode({ store, nodeId: randomUUID(), log: { timeZone } });
    const learner = createLearningModel(() => []);
    await createGraph(memory, learner).invoke({ messages: [new HumanMessage("Tomorrow I move.")] }, config("t"));
    const time = readTime(learner.prompts[0], "said by the user at");
    expect(time).toBeGreaterThanOrEqual(start - 60_000);
    expect(time).toBeLessThanOrEqual(Date.now());
  });

  it("gives the model the time of what was written in the zone of the memory's log", async () => {
    const global = new MemoryNode({ store, nodeId: randomUUID(), log: { timeZone: "Pacific/Kiritimati" } });
    await expectLocalTime(global, global.memory());
    const timeZone = ({ userId }: { userId?: string | undefined }) => (userId === "ada" ? "Pacific/Kiritimati" : "UTC");
    const memory = new MemoryNode({ store, nodeId: randomUUID(), scope: "perUser", log: { timeZone } }).memory("ada");
    await expectLocalTime(memory, memory);
  });

  it("takes what another agent asks for no person's text, but for a turn", async () => {
    const memory = newNode();
    const learner = createLearningModel(() => [change("write", "/profile/ada.md", { text: "Likes tea." })]);
    const inTool = { configurable: { thread_id: "t", user_id: "ada", checkpoint_ns: "tools:1|learn:2" } };
    const messages = [new HumanMessage("Ada likes tea."), new AIMessage("<think>SECRET</think>Noted.")];
    await createLearnNode({ memory, model: learner.model })({ messages }, inTool);
    expect(learner.prompts[0]).toMatch(/^s1, said by another agent at .+\n\| Ada likes tea\.\ns2, .+\n\| Noted\.$/m);
    const [waiting] = await readAll(memory.memory("ada").proposals?.list() ?? []);
    expect(waiting?.origin?.trust).toBe("agent");
  });

  async function expectLocalTime(learnt: LearnOptions["memory"], memory: Memory): Promise<void> {
    await memory.write("/inbox/a", "Tomorrow I move.");
    const [version] = await readAll(memory.history?.list() ?? []);
    const { prompts } = await learnFrom(learnt, [[]], {});
    const minute = Math.floor(Number(version?.at) / 60_000) * 60_000;
    expect(readTime(prompts[0], "written to /inbox/a at")).toBe(minute);
  }

  it("waits for as many new messages of the user as everyTurns says, in each thread by itself", async () => {
    const learner = createLearningModel(() => []);
    const graph = createGraph(newNode(), learner, { everyTurns: 2 });
    for (const [thread, text] of [
      ["a", "a1"],
      ["b", "b1"],
      ["a", "a2"],
      ["a", "a3"],
      ["b", "b2"],
      ["a", "a4"],
    ] as const)
      await graph.invoke({ messages: [new HumanMessage(text)] }, config(thread));
    expect(learner.prompts.map((prompt) => getNewTexts(prompt).filter((text) => text.length === 2))).toEqual([
      ["a1", "a2"],
      ["b1", "b2"],
      ["a3", "a4"],
    ]);
  });

  it("reads the same messages again after a failure of the model, which ends no run", async () => {
    const errors: MemoryError[] = [];
    const learner = createLearningModel((_prompt, count) => (count === 1 ? new Error("overloaded") : []));
    const graph = createGraph(newNode(), learner, { onError: (error) => errors.push(error) });
    for (const text of ["one", "two"]) await graph.invoke({ messages: [new HumanMessage(text)] }, config("t"));
    expect(errors.map(({ code, message }) => [code, message])).toEqual([["EIO", "EIO: learning failed: overloaded"]]);
    expect(getNewTexts(learner.prompts[1])).toEqual(["one", "Answer to one", "two", "Answer to two"]);
  });

  it("leaves messages that do not fit to the next run", async () => {
    const learner = createLearningModel(() => []);
    const learn = createLearnNode({ memory: newNode(), model: learner.model, limits: { inputChars: 1000 } });
    const messages = ["a", "b", "c", "d", "e", "f"].map((id) => new HumanMessage({ id, content: id.repeat(250) }));
    await learn({ messages }, config("t"));
    await learn({ messages }, config("t"));
    expect(
      learner.prompts.map((prompt) =>
        getNewTexts(prompt)
          .map((text) => text[0])
          .join(""),
      ),
    ).toEqual(["abcd", "ef"]);
  });

  it("knows what it has read when the last message was removed or the first ones became a summary", async () => {
    const learner = createLearningModel(() => []);
    const graph = createGraph(newNode(), learner);
    const { messages } = await graph.invoke({ messages: [new HumanMessage("one")] }, config("t"));
    const removed = new RemoveMessage({ id: messages.at(-1)?.id ?? "" });
    await graph.invoke({ messages: [removed, new HumanMessage("two")] }, config("t"));
    const summary = new HumanMessage({ content: "summed up", additional_kwargs: { lc_source: "summarization" } });
    await createLearnNode({ memory: newNode(), model: learner.model })(
      { messages: [summary, new HumanMessage("three")] },
      config("t"),
    );
    expect(learner.prompts.slice(1).map(getNewTexts)).toEqual([["two", "Answer to two"], ["three"]]);
  });

  it("streams nothing of what the model answers", async () => {
    const learner = createLearningModel(() => []);
    const stream = await createGraph(newNode(), learner).stream(
      { messages: [new HumanMessage("one")] },
      { ...config("t"), streamMode: "messages" },
    );
    const nodes = (await readAll(stream)).map(
      ([, metadata]) => (metadata as Record<string, unknown>)["langgraph_node"],
    );
    expect(learner.prompts).toHaveLength(1);
    expect(new Set(nodes)).toEqual(new Set(["answer"]));
  });

  it("ends with the run's signal", async () => {
    const controller = new AbortController();
    const learner = createLearningModel(() => {
      controller.abort(new Error("enough"));
      return [change("write", "/profile/a.md", { text: "x" })];
    });
    const memory = newNode();
    const learn = createLearnNode({ memory, model: learner.model });
    const run = learn({ messages: [new HumanMessage("one")] }, { ...config("t"), signal: controller.signal });
    await expect(run).rejects.toThrow("enough");
    expect(await readAll(memory.memory("ada").proposals?.list() ?? [])).toEqual([]);
  });

  it("lets the next run work at once after a run that its signal ended", async () => {
    const controller = new AbortController();
    const learner = createLearningModel((_prompt, count) => {
      if (count === 1) controller.abort(new Error("enough"));
      return [];
    });
    const learn = createLearnNode({ memory: newNode(), model: learner.model });
    const messages = [new HumanMessage("one")];
    await expect(learn({ messages }, { ...config("t"), signal: controller.signal })).rejects.toThrow("enough");
    await learn({ messages }, config("t"));
    expect(learner.prompts.map(getNewTexts)).toEqual([["one"], ["one"]]);
  });

  it("has one listener on the signal of its options during a run, which keeps nothing of the run", async () => {
    const { signal } = new AbortController();
    const during: number[] = [];
    const learner = createLearningModel(() => {
      during.push(getEventListeners(signal, "abort").length);
      return [];
    });
    const learn = createLearnNode({ memory: newNode(), model: learner.model, signal });
    for (const text of ["one", "two", "three"])
      await learn({ messages: [new HumanMessage(text)] }, { ...config("t"), signal: new AbortController().signal });
    expect(during).toEqual([1, 1, 1]);
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it("ends with the signal of its options, which ends no run", async () => {
    const controller = new AbortController();
    const errors: MemoryError[] = [];
    const learner = createLearningModel(() => {
      controller.abort(new Error("enough"));
      return [];
    });
    const { signal } = controller;
    const onError = (error: MemoryError): void => void errors.push(error);
    const learn = createLearnNode({ memory: newNode(), model: learner.model, signal, onError });
    for (const text of ["one", "two"]) await learn({ messages: [new HumanMessage(text)] }, config("t"));
    expect(errors.map(({ message }) => message)).toEqual(Array(2).fill("EIO: learning failed: enough"));
    expect(learner.prompts).toHaveLength(1);
  });

  it("reports a run without its user, and refuses bad options at once", async () => {
    const errors: MemoryError[] = [];
    const { model } = createLearningModel(() => []);
    const learn = createLearnNode({ memory: newNode(), model, onError: (error) => errors.push(error) });
    expect(await learn({ messages: [new HumanMessage("one")] }, {})).toEqual({});
    expect(errors).toMatchObject([{ code: "EINVAL" }]);
    for (const bad of [{ everyTurns: 0 }, { onError: 1 }, { write: [] }, { wrong: 1 }, { messages: [] }])
      expect(() => createLearnNode(untyped({ memory: newNode(), model, ...bad }))).toThrow(TypeError);
    expect(() => createLearnNode(untyped({ memory: newNode(), model, everyTurn: 3 }))).toThrow(
      'unknown option "everyTurn"; "everyTurns" was probably meant',
    );
  });
});

describe("learnMiddleware", () => {
  it("learns after the answer of an agent, for the run's user", async () => {
    const memory = newNode();
    const order: string[] = [];
    const learner = createLearningModel(() => {
      order.push("learn");
      return [change("write", "/profile/ada.md", { text: "Likes tea." })];
    });
    const model = new ScriptedChatModel(() => {
      order.push("answer");
      return "Noted.";
    });
    const middleware = [learnMiddleware({ memory, model: learner.model })];
    const agent = createAgent({ model, middleware, checkpointer: new MemorySaver() });
    const { messages } = await agent.invoke({ messages: [new HumanMessage("I like tea.")] }, config("t"));
    expect(order).toEqual(["answer", "learn"]);
    expect(messages.map(({ text }) => text)).toEqual(["I like tea.", "Noted."]);
    expect(getNewTexts(learner.prompts[0])).toEqual(["I like tea.", "Noted."]);
    expect((await readAll(memory.memory("ada").proposals?.list() ?? [])).map(({ path }) => path)).toEqual([
      "/profile/ada.md",
    ]);
  });
});
