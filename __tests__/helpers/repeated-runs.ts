import { isToolMessage, type AIMessage, type BaseMessage } from "@langchain/core/messages";
import { type StructuredTool, tool } from "@langchain/core/tools";
import {
  Command,
  interrupt,
  type LangGraphRunnableConfig,
  MessagesAnnotation,
  START,
  StateGraph,
} from "@langchain/langgraph";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { createReactAgent, ToolNode } from "@langchain/langgraph/prebuilt";
import { createAgent, createMiddleware } from "langchain";
import { z } from "zod";
import { Agent } from "../../src/graph/agent.js";
import { type ScriptedCall, ScriptedChatModel } from "./scripted-chat-model.js";
import { until } from "./until-answers.js";

/** A compiled graph, as far as the tests use it. */
export interface RunnableGraph {
  invoke(input: unknown, options: object): Promise<unknown>;
}

/** The parts that every way of running needs. */
export interface AgentParts {
  model: ScriptedChatModel;
  tools: StructuredTool[];
  /** Undefined: the graph is part of another graph. */
  checkpointer?: BaseCheckpointSaver;
}

/** Runs all calls of the last message at once, as people write it by hand. */
async function runByHand(
  tools: readonly StructuredTool[],
  { messages }: typeof MessagesAnnotation.State,
  config?: LangGraphRunnableConfig,
): Promise<typeof MessagesAnnotation.Update> {
  const { tool_calls: calls = [] } = messages.at(-1) as AIMessage;
  const answer = async (call: (typeof calls)[number]): Promise<BaseMessage> =>
    (await tools.find(({ name }) => name === call.name)?.invoke({ ...call, type: "tool_call" }, config)) as BaseMessage;
  return { messages: await Promise.all(calls.map(answer)) };
}

const hasCalls = ({ messages }: typeof MessagesAnnotation.State): "tools" | "__end__" =>
  ((messages.at(-1) as AIMessage).tool_calls ?? []).length > 0 ? "tools" : "__end__";

/** @param tools a ToolNode, or a function. The types of LangGraph take each of them only by itself */
function stateGraph({ model, checkpointer }: AgentParts, tools: unknown): RunnableGraph {
  return new StateGraph(MessagesAnnotation)
    .addNode("model", async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
    .addNode("tools", tools as never)
    .addEdge(START, "model")
    .addConditionalEdges("model", hasCalls)
    .addEdge("tools", "model")
    .compile({ ...(checkpointer && { checkpointer }) });
}

/** Without a middleware, `createAgent` answers the model with the error. */
const passesErrorsOn = createMiddleware({
  name: "passesErrorsOn",
  wrapToolCall: (request, handler) => handler(request),
});

/** The ways in which people run tools. */
export const waysOfRunning = {
  "a ToolNode": (parts: AgentParts) => stateGraph(parts, new ToolNode(parts.tools, { handleToolErrors: false })),
  "a node of its own": (parts: AgentParts) =>
    stateGraph(parts, (state: typeof MessagesAnnotation.State, config: LangGraphRunnableConfig) =>
      runByHand(parts.tools, state, config),
    ),
  "a node that passes no config": (parts: AgentParts) =>
    stateGraph(parts, (state: typeof MessagesAnnotation.State) => runByHand(parts.tools, state)),
  Agent: ({ model, tools, checkpointer }: AgentParts) =>
    new Agent({ model, tools, ...(checkpointer && { checkpointer }) }).graph,
  "createReactAgent v1": ({ model, tools, checkpointer }: AgentParts) =>
    createReactAgent({
      llm: model,
      tools: new ToolNode(tools, { handleToolErrors: false }),
      version: "v1",
      ...(checkpointer && { checkpointer }),
    }),
  "createReactAgent v2": ({ model, tools, checkpointer }: AgentParts) =>
    createReactAgent({
      llm: model,
      tools: new ToolNode(tools, { handleToolErrors: false }),
      version: "v2",
      ...(checkpointer && { checkpointer }),
    }),
  createAgent: ({ model, tools, checkpointer }: AgentParts) =>
    createAgent({ model, tools, middleware: [passesErrorsOn], ...(checkpointer && { checkpointer }) }).graph as never,
  "a subgraph": ({ checkpointer, ...inner }: AgentParts) =>
    new StateGraph(MessagesAnnotation)
      .addNode("agent", stateGraph(inner, new ToolNode(inner.tools, { handleToolErrors: false })) as never)
      .addEdge(START, "agent")
      .compile({ ...(checkpointer && { checkpointer }) }),
} satisfies Record<string, (parts: AgentParts) => RunnableGraph>;

export type WayOfRunning = keyof typeof waysOfRunning;

/** Lets a graph try its tasks again. */
export function withRetries(graph: RunnableGraph): RunnableGraph {
  Object.assign(graph, { retryPolicy: { maxAttempts: 4, initialInterval: 1, jitter: false, logWarning: false } });
  return graph;
}

/** Notes the calls of a tool. */
export function watchCalls(watched: StructuredTool): { calls: Promise<unknown>[] } {
  const calls: Promise<unknown>[] = [];
  const invoke = watched.invoke.bind(watched);
  watched.invoke = (...args: Parameters<typeof invoke>) => {
    const call = invoke(...args);
    calls.push(call.catch(() => null));
    return call;
  };
  return { calls };
}

/** How a tool ends the next attempt at its task. */
export type Ending = "passes" | "error" | "interrupt";

/**
 * A tool that stands beside a change, and stops the task of both when the change is made.
 * @param endings of the attempts, in their order. All further ones pass
 */
export function createStumblingTool(endings: readonly Ending[], beside: readonly StructuredTool[]): StructuredTool {
  const watched = beside.map(watchCalls);
  let attempts = 0;
  const stumble = async (): Promise<string> => {
    const ending = endings[attempts];
    attempts += 1;
    await until(() => watched.some(({ calls }) => calls.length > 0));
    await Promise.all(watched.flatMap(({ calls }) => calls));
    if (ending === "error") throw new Error("stumbled");
    if (ending === "interrupt") interrupt("go on?");
    return "passed";
  };
  const name = "stumble";
  return tool(stumble, { name, description: name, schema: z.object({}) });
}

/** What stops a task, and how it goes on. */
export const stops = {
  "is tried again": ["error", "error"],
  "resumes after an error": ["error"],
  "resumes beside an interrupt": ["interrupt"],
} as const;

export type Stop = keyof typeof stops;

/** The ways of running in which a task can stop in a way. */
export function canStop(way: WayOfRunning, stop: Stop): boolean {
  // It shows the model the errors of its tools.
  if (way === "Agent") return stop === "resumes beside an interrupt";
  // LangGraph begins a subgraph anew, so that the model is asked again, and may decide otherwise.
  return way !== "a subgraph" || stop !== "is tried again";
}

const maxResumes = 5;

/** Runs a turn to its end, and returns the answers of its tools. */
export async function runToEnd(graph: RunnableGraph, config: object): Promise<string[]> {
  const begin = { messages: [{ role: "user", content: "go" }] };
  let input: unknown = begin;
  for (let resumes = 0; resumes < maxResumes; resumes += 1) {
    try {
      const reply = (await graph.invoke(input, config)) as { messages: BaseMessage[]; __interrupt__?: unknown };
      if (reply.__interrupt__ === undefined) {
        const turn = reply.messages.slice(reply.messages.findLastIndex((message) => message.getType() === "human"));
        return turn.filter(isToolMessage).map(({ text }) => text);
      }
      input = new Command({ resume: "yes" });
    } catch (error) {
      if (!String(error).includes("stumbled")) throw error;
      input = null;
    }
  }
  throw new Error("the run does not end");
}

/** A model that makes these calls in its first answer of a turn. */
export function modelThatCalls(getCalls: () => ScriptedCall[]): ScriptedChatModel {
  return new ScriptedChatModel((messages) => (messages.at(-1)?.getType() === "tool" ? "done" : getCalls()));
}
