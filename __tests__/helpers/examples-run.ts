import { deepEqual, doesNotMatch, equal, match, ok, rejects, throws } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { HumanMessage, SystemMessage } from "@langchain/core/messages";
import { InMemoryStore } from "@langchain/langgraph";
import { openAiStandIn } from "./openai-stand-in.js";
import type * as bindTools from "../../examples/bind-tools/agent.js";
import type * as createAgent from "../../examples/create-agent/agent.js";
import type * as customerSupport from "../../examples/customer-support/agent.js";
import type * as graphTemplate from "../../examples/graph-template/agent.js";
import type * as serverless from "../../examples/serverless/agent.js";
import type * as connections from "../../examples/serverless/connection.js";
import type * as sharedMemory from "../../examples/shared-memory/agent.js";
import type * as models from "../../examples/shared-memory/scripted-models.js";
import type * as stateGraph from "../../examples/state-graph/agent.js";
import type * as scripted from "../../examples/state-graph/scripted-model.js";
import type * as subgraph from "../../examples/subgraph-interrupt/agent.js";

/*
 * Runs copies of the examples, one after the other in this one process, because loading LangGraph takes longer than all
 * examples. Takes an `ExampleRuns` as JSON, and prints an `ExampleResult` for each name.
 */

export interface ExampleRuns {
  /** The folder with the copies. */
  folder: string;
  names: readonly string[];
  /** Of their programs. */
  extension: "js" | "ts";
  /** URI of MongoDB. `rounds` is the number of runs of each example on it. */
  uri: string;
  rounds: number;
}

export interface ExampleResult {
  /** The output of `main.ts`, in each run. */
  plain: string[];
  onMongodb: string[];
  /** The output with a key, and with a server that replaces OpenAI's. "" if the example reads no key. */
  withKey: string;
  /** The first broken promise of the README, apart from the output. */
  fault: string;
}

const { folder, names, extension, uri, rounds } = JSON.parse(process.argv[2] ?? "") as ExampleRuns;
const away = "mongodb://127.0.0.1:9/?serverSelectionTimeoutMS=200";

/** @param file without its extension. @param query loads a new module of the same file */
function load<T>(example: string, file: string, query = ""): Promise<T> {
  return import(`${pathToFileURL(join(folder, example, file)).href}.${extension}${query}`) as Promise<T>;
}

async function modelOf(example: string): Promise<ReturnType<typeof scripted.scriptedModel>> {
  return (await load<typeof scripted>(example, "scripted-model")).scriptedModel();
}

const turn = (text: string) => ({ messages: [new HumanMessage(text)] });
const inThread = (thread_id: string) => ({ configurable: { thread_id } });

const promises: Record<string, () => Promise<void>> = {
  async "bind-tools"() {
    const { createLoop } = await load<typeof bindTools>("bind-tools", "agent");
    const messages = [new SystemMessage("You keep a task list."), new HumanMessage("To do: sow kale.")];
    await createLoop(await modelOf("bind-tools"), new InMemoryStore()).run(messages);
    ok(messages.length > 2, "the answers are in the conversation");
    doesNotMatch(messages.map(({ text }) => text).join(), /<memory/, "the memory is not");
  },
  async "create-agent"() {
    const { createOperationsAgent } = await load<typeof createAgent>("create-agent", "agent");
    const agent = createOperationsAgent(await modelOf("create-agent"), new InMemoryStore());
    await agent.invoke(turn("Staging moved to port 8443."), inThread("monday"));
    const { messages } = await agent.invoke(turn("On which port is staging?"), inThread("tuesday"));
    deepEqual(
      messages.map(({ type }) => type),
      ["human", "ai"],
      "the memory is no part of the agent's state",
    );
  },
  async "customer-support"() {
    const { createSupportAgent } = await load<typeof customerSupport>("customer-support", "agent");
    const store = new InMemoryStore();
    const signedIn = (threadId: string) => (threadId === "1" ? "ada" : undefined);
    const { agent, node, houseRules } = createSupportAgent(await modelOf("customer-support"), store, signedIn);
    await rejects(
      node.memoryForRun({ config: {}, threadId: "2" }),
      { code: "EINVAL" },
      "nobody is signed in there, so that there is no memory",
    );
    await agent.invoke(turn("I run Linux."), inThread("1"));
    const paths = (await node.memory("ada").snapshot()).files.map(({ path }) => path);
    match(
      paths.join(),
      /^\/conversations\/[\d-]+\/1\.md,\/profile\/system$/,
      "the customer's memory has notes and the log",
    );
    equal((await houseRules.memory().snapshot()).files.length, 0, "and never to the rules");
    await rejects(node.memory("ada").append("/rules/new", "x"), { code: "EACCES" }, "because it may not");
  },
  async "graph-template"() {
    const { createGraph, readDefinition, withHouseRules } = await load<typeof graphTemplate>("graph-template", "agent");
    const definition = await readDefinition();
    const graph = createGraph(definition, await modelOf("graph-template"), new InMemoryStore());
    const agent = graph.agent("A");
    match(
      await graph.tool("T1").invoke({ command: "append", path: "/a.md", content: "x" }),
      /"code":"EACCES"/,
      "the read-only tool cannot write",
    );
    graph.apply(withHouseRules(definition));
    const edges = [{ source: "A", sourceHandle: "tools", target: "T9", targetHandle: "$self" } as const];
    throws(() => graph.apply({ ...definition, edges }));
    equal(graph.agent("A"), agent, "an agent that stays is the same object");
    deepEqual(
      agent.callModel.tools.map(({ name }) => name),
      ["memory_readonly"],
      "a definition with faults changes nothing",
    );
  },
  async serverless() {
    const { connection } = await load<typeof connections>("serverless", "connection");
    Object.assign(globalThis, { memoryConnection: undefined });
    const { store } = connection();
    equal(connection().store, store, "all requests share a connection");
    const reloaded = await load<typeof connections>("serverless", "connection", "?changed");
    equal(reloaded.connection().store, store, "the connection outlasts the module");
    const { createCook, createMemoryNode, forgetUser } = await load<typeof serverless>("serverless", "agent");
    const shared = createMemoryNode(store);
    await createCook(await modelOf("serverless"), shared).invoke(turn("I like fish."), {
      configurable: { user_id: "ada" },
    });
    const countFiles = async () => (await shared.memory("ada").snapshot()).files.length;
    ok((await countFiles()) > 0, "the log is in the memory");
    await forgetUser(store, "ada");
    equal(await countFiles(), 0, "and erased with it, also where requests share a node");
  },
  async "shared-memory"() {
    const { createAgents } = await load<typeof sharedMemory>("shared-memory", "agent");
    const { scriptedModels } = await load<typeof models>("shared-memory", "scripted-models");
    const { desk, node } = createAgents(scriptedModels(), new InMemoryStore());
    await node.memory().write("/findings", "A storm.");
    await desk.invoke(turn("Delete the findings."));
    equal(await node.memory().read("/findings"), "A storm.", "the reader changes nothing");
  },
  async "state-graph"() {
    const { createGraph } = await load<typeof stateGraph>("state-graph", "agent");
    const { graph, node, houseMemory } = createGraph(await modelOf("state-graph"), new InMemoryStore());
    const { messages } = await graph.invoke(turn("I am Ada."), { configurable: { user_id: "ada", thread_id: "1" } });
    deepEqual(
      messages.map(({ type }) => type),
      ["human", "ai"],
      "the memory is no part of the graph's state, and no tool was called",
    );
    const [ada, bob] = [node.memory("ada"), node.memory("bob")];
    const files = await Promise.all(
      [ada, bob, houseMemory].map(async (memory) => (await memory.snapshot()).files.length),
    );
    deepEqual(files, [1, 0, 0], "the log is in the memory of the user alone");
    process.env["MONGODB_URI"] = away;
    await rejects(outputOf("state-graph", "away"), { code: "EIO" }, "it fails where MongoDB is away");
  },
  async "subgraph-interrupt"() {
    const { createGraph } = await load<typeof subgraph>("subgraph-interrupt", "agent");
    const graph = createGraph(await modelOf("subgraph-interrupt"), new InMemoryStore());
    await graph.invoke(turn("Please deliver to 5 Mill Lane."), inThread("ada"));
    doesNotMatch(
      JSON.stringify(await graph.getState(inThread("ada"), { subgraphs: true })),
      /<memory/,
      "what the model is shown is not kept",
    );
  },
};

/** Returns the output of a `main.ts`. Runs it anew, as a new process would. */
async function outputOf(name: string, round: string): Promise<string> {
  Object.assign(globalThis, { memoryConnection: undefined });
  const lines: string[] = [];
  const { log } = console;
  console.log = (text: string) => lines.push(`${text}\n`);
  try {
    await load(name, "main", `?${round}`);
    return lines.join("");
  } finally {
    console.log = log;
  }
}

async function withKey<T>(run: () => Promise<T>): Promise<T> {
  const standIn = await openAiStandIn({
    call: { command: "append", path: "/findings", content: "A note." },
    text: "I stand for OpenAI.",
  });
  const variables = { ...standIn.env, OPENAI_MODEL: "gpt-of-the-test" };
  try {
    Object.assign(process.env, variables);
    return await run();
  } finally {
    for (const name of Object.keys(variables)) delete process.env[name];
    await standIn.close();
  }
}

const results: Record<string, ExampleResult> = {};
for (const name of names) {
  process.chdir(join(folder, name));
  const result: ExampleResult = { plain: [], onMongodb: [], withKey: "", fault: "" };
  delete process.env["MONGODB_URI"];
  result.plain.push(await outputOf(name, "plain").catch(String));
  if (readFileSync(join(folder, name, ".env.example"), "utf8").includes("OPENAI_API_KEY"))
    result.withKey = await withKey(() => outputOf(name, "key").catch(String));
  await promises[name]?.().catch((error: unknown) => (result.fault = String(error)));
  process.env["MONGODB_URI"] = uri;
  // The second run finds the notes of the first.
  for (let round = 0; round < rounds; round += 1)
    result.onMongodb.push(await outputOf(name, `mongodb-${round}`).catch(String));
  results[name] = result;
}
// No `process.exit`, so that an example which leaves something open keeps the test waiting.
console.log(JSON.stringify(results));
