import { EventEmitter, once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "@jest/globals";
import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { AIMessageChunk, type BaseMessage, HumanMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import { tool } from "@langchain/core/tools";
import { getConfig, getStore, getWriter, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { ScriptedChatModel } from "../../helpers/scripted-chat-model.js";
import { CallModelNode, type CallModelNodeOptions, MemoryNode } from "../../../src/index.js";
import { freshAddress } from "../../helpers/memory-case.js";
import { shownEntries } from "../../helpers/conversations.js";

const store = new InMemoryStore();
const human = { messages: [new HumanMessage("go")] };

async function freshNode(): Promise<MemoryNode> {
  const node = new MemoryNode({ ...freshAddress(), store });
  await node.memory().append("/rules", "x");
  return node;
}

async function createGraph(options: CallModelNodeOptions) {
  const memoryConnector = (await freshNode()).createConnector();
  return new StateGraph(MessagesAnnotation)
    .addNode("call_model", new CallModelNode({ memoryConnector, ...options }))
    .addNode("tools", new ToolNode(options.tools ?? []))
    .addEdge(START, "call_model")
    .addConditionalEdges("call_model", toolsCondition)
    .addEdge("tools", "call_model")
    .compile({ store });
}

/** A model whose client looks up the run by itself, as models and callbacks do that are not handed a config. */
class CuriousModel extends ScriptedChatModel {
  readonly seen: unknown[] = [];

  override async _generate(messages: BaseMessage[], options?: this["ParsedCallOptions"]): Promise<ChatResult> {
    const item = await getStore()?.get(["somewhere"], "key");
    getWriter()?.("from the model");
    this.seen.push([item?.value, (getConfig().configurable ?? {})["thread_id"]]);
    return super._generate(messages, options);
  }
}

/** Answers only when aborted, by the reason of the abort. */
class PatientModel extends ScriptedChatModel {
  signal: AbortSignal | undefined;
  readonly asking = new EventEmitter();

  override async _generate(_messages: BaseMessage[], options?: this["ParsedCallOptions"]): Promise<never> {
    this.signal = options?.signal;
    this.asking.emit("asked");
    if (this.signal && !this.signal.aborted) await once(this.signal, "abort");
    throw new Error("gave up");
  }
}

/** The runs of a trace, each with those it lies in: `graph > call_model > model`. */
class Trace extends BaseCallbackHandler {
  readonly name = "trace";
  override readonly awaitHandlers = true;
  readonly paths = new Map<string, string>();
  readonly inputs: BaseMessage[][] = [];
  tokens = "";

  #enter(name: string, runId: string, parentRunId?: string): void {
    const parent = this.paths.get(parentRunId ?? "");
    this.paths.set(runId, parent === undefined ? name : `${parent} > ${name}`);
  }

  /** Given in this order, which is not the one that LangChain's types say. */
  override handleChainStart(...args: unknown[]): void {
    const [, , runId, parentRunId, , , , runName] = args as string[];
    this.#enter(runName ?? "", runId ?? "", parentRunId);
  }

  override handleChatModelStart(...args: Parameters<NonNullable<BaseCallbackHandler["handleChatModelStart"]>>): void {
    const [, [messages = []], runId, parentRunId] = args;
    this.inputs.push(messages);
    this.#enter("model", runId, parentRunId);
  }

  override handleLLMNewToken(token: string): void {
    this.tokens += token;
  }
}

describe("a CallModelNode in a graph", () => {
  it("streams the tokens of the model, each once, and none of the memory", async () => {
    const graph = await createGraph({ model: new ScriptedChatModel(() => "one two three") });
    const tokens: string[] = [];
    for await (const [message, metadata] of await graph.stream(human, { streamMode: "messages" })) {
      expect(metadata).toMatchObject({ langgraph_node: "call_model" });
      if (AIMessageChunk.isInstance(message)) tokens.push(message.text);
    }
    expect(tokens).toEqual(["one ", "two ", "three"]);
  });

  it("tells streamEvents of the model, its tokens and its input with the memory", async () => {
    const graph = await createGraph({ model: new ScriptedChatModel(() => "one two") });
    const events: string[] = [];
    for await (const { event, name, data } of graph.streamEvents(human, { version: "v2" })) {
      if (event === "on_chat_model_start") {
        expect(shownEntries((data.input as { messages: BaseMessage[][] }).messages[0] ?? [])).toEqual(["/rules"]);
      }
      if (event.startsWith("on_chat_model")) events.push(event);
      if (event === "on_chain_start" && name === "call_model") events.push(name);
    }
    expect(events).toEqual([
      "call_model",
      "on_chat_model_start",
      "on_chat_model_stream",
      "on_chat_model_stream",
      "on_chat_model_end",
    ]);
  });

  it("is traced as one level, which holds the model", async () => {
    const trace = new Trace();
    const graph = await createGraph({ model: new ScriptedChatModel(() => "done") });
    await graph.invoke(human, { callbacks: [trace] });
    const paths = [...trace.paths.values()].filter((path) => path.endsWith("model"));
    expect(paths).toEqual(["LangGraph > call_model", "LangGraph > call_model > model"]);
    expect(trace.inputs.map(shownEntries)).toEqual([["/rules"]]);
  });

  it("gives the model the store, the writer and the config of the run", async () => {
    await store.put(["somewhere"], "key", { found: true });
    const model = new CuriousModel(() => "done");
    const graph = await createGraph({ model });
    const config = { configurable: { thread_id: "thread 1" } };
    const written: unknown[] = [];
    for await (const chunk of await graph.stream(human, { ...config, streamMode: "custom" })) written.push(chunk);
    expect(written).toEqual(["from the model"]);
    expect(model.seen).toEqual([[{ found: true }, "thread 1"]]);
  });

  it("hands an abort on to the model", async () => {
    const model = new PatientModel(() => "never");
    const graph = await createGraph({ model });
    const controller = new AbortController();
    const asked = once(model.asking, "asked");
    const run = graph.invoke(human, { signal: controller.signal });
    await asked;
    expect(model.signal?.aborted).toBe(false);
    controller.abort(new Error("stop"));
    await expect(run).rejects.toBeInstanceOf(Error);
    expect(model.signal?.aborted).toBe(true);
  });

  it("ends at once when aborted while the memory is read, and never calls the model", async () => {
    const reading = new EventEmitter();
    class HangingStore extends InMemoryStore {
      override async batch(): Promise<never> {
        reading.emit("begun");
        await once(reading, "ended");
        throw new Error("too late");
      }
    }
    const model = new ScriptedChatModel(() => "never");
    const node = new MemoryNode({ ...freshAddress(), store: new HangingStore() });
    const graph = await createGraph({ model, memoryConnector: node.createConnector({ onError: () => {} }) });
    const controller = new AbortController();
    const begun = once(reading, "begun");
    const run = graph.invoke(human, { signal: controller.signal });
    await begun;
    controller.abort(new Error("stop"));
    await expect(run).rejects.toBeInstanceOf(Error);
    reading.emit("ended");
    await sleep(10);
    expect(model.calls).toEqual([]);
  });

  it("takes the run from its surroundings when called without a config", async () => {
    const node = new MemoryNode({ ...freshAddress(), scope: "perThread" });
    const model = new CuriousModel(() => "done");
    const inner = new CallModelNode({ model, memoryConnector: node.createConnector() });
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("outer", (state) => inner.invoke(state))
      .addEdge(START, "outer")
      .compile({ store });
    const own = new MemoryNode({ nodeId: node.nodeId, scope: "perThread", store });
    await own.memory("thread 1").append("/own", "x");
    const trace = new Trace();
    await graph.invoke(human, { configurable: { thread_id: "thread 1" }, callbacks: [trace] });
    expect(model.calls.map(shownEntries)).toEqual([["/own"]]);
    expect(model.seen).toEqual([[{ found: true }, "thread 1"]]);
    expect([...trace.paths.values()]).toContain("LangGraph > outer > model");
  });

  it("takes a new prompt, new tools and a new memory at any time; a call under way keeps what it began with", async () => {
    const model = new ScriptedChatModel(() => "done");
    const look = tool(() => "", { name: "look", description: "Looks.", schema: { type: "object", properties: {} } });
    const node = new CallModelNode({
      model,
      systemPrompt: "Be kind.",
      memoryConnector: (await freshNode()).createConnector(),
    });
    const underWay = node.invoke(human);
    node.setSystemPrompt("");
    node.setMemoryConnector(undefined);
    node.addTool(look);
    await underWay;
    expect([model.boundTools, model.calls[0]?.[0]?.text]).toEqual([
      [],
      expect.stringMatching(/^Be kind\.\n\n<memory /),
    ]);
    await node.invoke(human);
    expect([model.boundTools, model.calls[1]?.map(({ text }) => text)]).toEqual([[look], ["go"]]);
    node.addTool(tool(() => "", { name: "other", description: "Does.", schema: { type: "object", properties: {} } }));
    node.removeTool(look);
    await node.invoke(human);
    expect(model.boundTools).toMatchObject([{ name: "other" }]);
  });

  it("passes on the errors of the model", async () => {
    const model = new ScriptedChatModel(() => {
      throw new RangeError("too many tokens");
    });
    const graph = await createGraph({ model });
    await expect(graph.invoke(human)).rejects.toThrow(new RangeError("too many tokens"));
  });
});
