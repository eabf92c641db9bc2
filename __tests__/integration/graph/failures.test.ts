import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, jest } from "@jest/globals";
import { type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { InMemoryStore, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import type { BaseStore } from "@langchain/langgraph-checkpoint";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { createAgent } from "langchain";
import { MongoClient } from "mongodb";
import { ScriptedChatModel } from "../../helpers/scripted-chat-model.js";
import {
  MemoryError,
  Agent,
  CallModelNode,
  MemoryNode,
  createMemoryPrompt,
  type MemoryConnectorConfig,
  MongoMemoryStore,
} from "../../../src/index.js";
import { memoryMiddleware } from "../../../src/middleware/index.js";
import { freshAddress } from "../../helpers/memory-case.js";
import { brief } from "../../helpers/conversations.js";
import { privateMongod } from "../../helpers/test-database.js";
import { untilAnswers } from "../../helpers/until-answers.js";
import { useClient } from "../../helpers/use-client.js";

class RejectingStore extends InMemoryStore {
  override async batch(): Promise<never> {
    throw new Error("connect ECONNREFUSED admin:hunter2@db.internal:27017");
  }
}

type Way = (
  node: MemoryNode,
  model: ScriptedChatModel,
  config: MemoryConnectorConfig,
  threadId?: string,
) => Promise<BaseMessage[]>;
const hello = { messages: [new HumanMessage("hello")] };
const systemPrompt = "Be kind.";
const inThread = (thread_id = "1") => ({ configurable: { thread_id } });

/** Every way in which a memory reaches a model. */
const ways: Record<string, Way> = {
  "a CallModelNode": async (node, model, config, threadId) => {
    const callModel = new CallModelNode({
      model,
      systemPrompt,
      tools: node.memoryTools,
      memoryConnector: node.createConnector(config),
    });
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("call_model", callModel)
      .addEdge(START, "call_model")
      .compile();
    return (await graph.invoke(hello, inThread(threadId))).messages;
  },
  "an Agent": async (node, model, config, threadId) => {
    const agent = new Agent({ model, systemPrompt, tools: node.memoryTools });
    agent.attachMemoryConnector(node.createConnector(config));
    return (await agent.invoke(hello, inThread(threadId))).messages;
  },
  createReactAgent: async (node, model, config, threadId) => {
    const prompt = createMemoryPrompt({ connector: node.createConnector(config), systemPrompt });
    return (await createReactAgent({ llm: model, tools: node.memoryTools, prompt }).invoke(hello, inThread(threadId)))
      .messages;
  },
  createAgent: async (node, model, config, threadId) => {
    const middleware = [memoryMiddleware({ memory: node, ...config })];
    return (await createAgent({ model, tools: [], systemPrompt, middleware }).invoke(hello, inThread(threadId)))
      .messages;
  },
};

function failingNode(store: BaseStore = new RejectingStore()): MemoryNode {
  return new MemoryNode({ ...freshAddress(), store });
}

let warnings: string[] = [];

beforeEach(() => {
  warnings = [];
  jest.spyOn(process, "emitWarning").mockImplementation((warning) => void warnings.push(String(warning)));
});

afterEach(() => {
  jest.restoreAllMocks();
});

describe.each(Object.entries(ways))("a memory that fails in %s", (_name, run) => {
  it("is left out, and onError is told why", async () => {
    const model = new ScriptedChatModel(() => "done");
    const errors: MemoryError[] = [];
    const messages = await run(failingNode(), model, { onError: (error) => errors.push(error) });
    expect(brief(messages)).toEqual(["human: hello", "ai: done"]);
    expect(model.calls.map(brief)).toEqual([["system: Be kind.", "human: hello"]]);
    expect(errors.map((error) => [MemoryError.isInstance(error), error.code])).toEqual([[true, "EIO"]]);
    expect(errors[0]?.message).not.toMatch(/hunter2|db\.internal/);
    expect(errors[0]?.cause).toMatchObject({ message: expect.stringContaining("hunter2") });
    expect(warnings).toEqual([]);
  });

  it("is told in a warning of the process where there is no onError", async () => {
    const model = new ScriptedChatModel(() => "done");
    await run(failingNode(), model, {});
    expect(warnings).toEqual([expect.stringMatching(/^model called without its memory: EIO/)]);
    expect(warnings[0]).not.toMatch(/hunter2|db\.internal/);
  });

  it.each([
    [
      "throws",
      (): void => {
        throw new Error("the logger is broken");
      },
    ],
    [
      "rejects",
      async (): Promise<void> => {
        throw new Error("the logger is broken");
      },
    ],
  ])("does not break the run where onError %s", async (_title, onError) => {
    const model = new ScriptedChatModel(() => "done");
    const messages = await run(failingNode(), model, { onError });
    await sleep(0);
    expect(brief(messages)).toEqual(["human: hello", "ai: done"]);
    expect(warnings).toEqual([expect.stringMatching(/^model called without its memory: EIO/)]);
  });

  it("is left out where the fault is not the storage's", async () => {
    const model = new ScriptedChatModel(() => "done");
    const node = failingNode(new InMemoryStore());
    const fail = (): never => {
      throw new TypeError("a mistake");
    };
    Object.assign(node, { memoryForRun: fail, globalMemory: fail });
    const errors: unknown[] = [];
    await run(node, model, { onError: ({ code, message, cause }) => errors.push([code, message, cause]) });
    expect(model.calls.map(brief)).toEqual([["system: Be kind.", "human: hello"]]);
    expect(errors).toEqual([["EIO", "EIO: the memory could not be shown to the model", new TypeError("a mistake")]]);
  });

  it("is left out where the thread's id is none a memory can have", async () => {
    const model = new ScriptedChatModel(() => "done");
    const node = new MemoryNode({ ...freshAddress(), store: new InMemoryStore(), scope: "perThread" });
    const codes: string[] = [];
    await run(node, model, { onError: ({ code }) => codes.push(code) }, "a\0b");
    expect([codes, model.calls.length]).toEqual([["EINVAL"], 1]);
  });
});

describe("a MongoDB that is down", () => {
  it("leaves runs without memory within its timeout, tells models that call its tool, and is used once it is back", async () => {
    const mongod = await privateMongod("standalone");
    const client = useClient(new MongoClient(mongod.uri, { serverSelectionTimeoutMS: 300 }));
    const node = failingNode(new MongoMemoryStore({ client, dbName: "down" }));
    await untilAnswers(node.memory());
    await node.memory().append("/a", "x");
    await mongod.kill();
    for (const [name, run] of Object.entries(ways)) {
      const model = new ScriptedChatModel(() => "done");
      const codes: string[] = [];
      await run(node, model, { onError: ({ code }) => codes.push(code) });
      expect([name, codes, model.calls.map(brief)]).toEqual([name, ["EIO"], [["system: Be kind.", "human: hello"]]]);
    }
    const writer = new ScriptedChatModel((messages) =>
      messages.at(-1)?.type === "tool"
        ? "done"
        : { tool: "memory", args: { path: "/a", command: "append", content: "x" } },
    );
    for (const run of [ways["an Agent"], ways["createAgent"]]) {
      const messages = (await run?.(node, writer, { onError: () => {} })) ?? [];
      expect(messages.at(-1)?.text).toBe("done");
      expect(messages.at(-2)).toMatchObject({
        type: "tool",
        status: "error",
        content: expect.stringContaining('"code":"EIO"'),
      });
      expect(messages.at(-2)?.text).not.toMatch(/127\.0\.0\.1|mongodb:/);
    }
    await mongod.restart();
    await untilAnswers(node.memory());
    for (const run of Object.values(ways)) {
      const model = new ScriptedChatModel(() => "done");
      await run(node, model, {});
      expect(model.calls[0]?.[0]?.text).toContain("/a (1 byte)");
    }
    expect(warnings).toEqual([]);
  });
});
