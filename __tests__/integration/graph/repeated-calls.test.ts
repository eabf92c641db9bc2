import { randomUUID } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import { Command, MemorySaver } from "@langchain/langgraph";
import { type Memory, MemoryNode, MongoMemoryStore } from "../../../src/index.js";
import type { DialectCall, DialectUnderTest } from "../../helpers/dialect-suite.js";
import { dialectsUnderTest } from "../../helpers/dialects-under-test.js";
import type { ServerKind } from "../../helpers/mongo-servers.js";
import { isLong, repetitions } from "../../helpers/repetitions.js";
import {
  canStop,
  createStumblingTool,
  modelThatCalls,
  type RunnableGraph,
  runToEnd,
  type Stop,
  stops,
  type WayOfRunning,
  waysOfRunning,
  withRetries,
} from "../../helpers/repeated-runs.js";
import type { ScriptedCall } from "../../helpers/scripted-chat-model.js";
import { testDatabase } from "../../helpers/test-database.js";

const rounds = repetitions({ usual: 1, long: 3 });
const kinds: ServerKind[] = isLong ? ["replicaSet", "standalone"] : ["replicaSet"];

function openStore(kind: ServerKind): MongoMemoryStore {
  const { client, name: dbName } = testDatabase(kind);
  return new MongoMemoryStore({ client, dbName, history: true });
}

/** What a run leaves: the answers of the tools, the texts and the versions, without times. */
interface Traces {
  answers: string[];
  texts: string[][];
  versions: string[];
}

const withoutTimes = (text: string): string => text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+(?:Z|\+00:00)/g, "");
const isOwn = ({ path }: { path: string }): boolean => !path.startsWith("/.journal/");

async function examine(memory: Memory, answers: string[]): Promise<Traces> {
  const { files } = await memory.snapshot();
  const versions: string[] = [];
  for await (const version of memory.history?.list() ?? [])
    if (isOwn(version)) versions.push(`${version.operation} ${version.path}`);
  return {
    answers: answers.filter((answer) => answer !== "passed").map(withoutTimes),
    texts: files.filter(isOwn).map(({ path, content }) => [path, withoutTimes(content)]),
    versions,
  };
}

/** Runs one call of a dialect in a turn, beside a tool that stops the task in this way. */
async function runCall(
  memory: Memory,
  dialect: DialectUnderTest,
  call: DialectCall,
  { way, stop }: { way: WayOfRunning; stop: Stop | null },
): Promise<Traces> {
  const tools = dialect.tools(memory);
  for (const { tool: name, args } of dialect.prepare) await tools.find((tool) => tool.name === name)?.invoke(args);
  const stumbling = createStumblingTool(stop === null ? [] : stops[stop], tools);
  const model = modelThatCalls(() => [call, { tool: stumbling.name, args: {} }]);
  const graph = waysOfRunning[way]({ model, tools: [...tools, stumbling], checkpointer: new MemorySaver() });
  if (stop === "is tried again") withRetries(graph);
  const answers = await runToEnd(graph, { configurable: { thread_id: randomUUID() } });
  return examine(memory, answers);
}

const dialects = await dialectsUnderTest();
const ways = Object.keys(waysOfRunning) as WayOfRunning[];

describe.each(kinds)("a call in a task that runs again, on a %s", (kind) => {
  const store = openStore(kind);
  const open = (): Memory => store.memory({ nodeId: randomUUID() });

  describe.each(dialects)("%s", (_name, dialect) => {
    const commands = Object.values(dialect.commands);
    const expected = new Map<DialectCall, Promise<Traces>>();
    const runOnce = (call: DialectCall): Promise<Traces> => {
      const traces = expected.get(call) ?? runCall(open(), dialect, call, { way: "a ToolNode", stop: null });
      expected.set(call, traces);
      return traces;
    };
    const rows = ways
      .flatMap((way) =>
        (Object.keys(stops) as Stop[]).filter((stop) => canStop(way, stop)).map((stop) => ({ way, stop })),
      )
      // The usual run has a third of the commands for each row, spread so that each command meets a third of the rows.
      .map((row, number) => ({ ...row, calls: commands.filter((_, index) => isLong || (index + number) % 3 === 0) }));

    it.each(rows)("is made once in $way that $stop", async ({ calls, ...row }) => {
      expect(calls).not.toEqual([]);
      for (let round = 0; round < rounds; round += 1)
        for (const call of calls) expect(await runCall(open(), dialect, call, row)).toEqual(await runOnce(call));
    });
  });
});

/** A node that passes no config has no questions that LangGraph can ask again. */
const askingWays = ways.filter((way) => way !== "a node that passes no config");

const append = (path: string): ScriptedCall => ({
  tool: "memory",
  args: { command: "append", path, content: "x" },
});

const asked = ["/asked/a", "/asked/b", "/asked/c"];

/** Approves one question after another, always the first that is open. Returns how many. */
async function approveEach(graph: RunnableGraph, input: unknown): Promise<number> {
  const config = { configurable: { thread_id: randomUUID() } };
  let reply = (await graph.invoke(input, config)) as { __interrupt__?: { id: string }[] };
  for (let approvals = 0; ; approvals += 1) {
    const [question] = reply.__interrupt__ ?? [];
    if (question === undefined || approvals > asked.length) return approvals;
    const resume = { [question.id]: { decisions: [{ type: "approve" }] } };
    reply = (await graph.invoke(new Command({ resume }), config)) as typeof reply;
  }
}

describe.each(kinds)("three approvals in one step, on a %s", (kind) => {
  const store = openStore(kind);

  it.each(askingWays)("make each change of %s once, and the one that needs none", async (way) => {
    for (let round = 0; round < rounds; round += 1) {
      const nodeId = randomUUID();
      const node = new MemoryNode({ store, nodeId, rules: [{ path: "/asked/**", access: "ask" }] });
      const graph = waysOfRunning[way]({
        model: modelThatCalls(() => ["/free", ...asked].map((path) => append(path))),
        tools: node.memoryTools,
        checkpointer: new MemorySaver(),
      });
      expect(await approveEach(graph, { messages: [{ role: "user", content: "go" }] })).toBe(asked.length);
      const memory = store.memory({ nodeId });
      const { texts, versions } = await examine(memory, []);
      expect(Object.fromEntries(texts)).toEqual(Object.fromEntries([...asked, "/free"].map((path) => [path, "x"])));
      expect(versions.toSorted()).toEqual([...asked, "/free"].map((path) => `created ${path}`));
    }
  });
});
