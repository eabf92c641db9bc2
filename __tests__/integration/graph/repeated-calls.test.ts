import { randomUUID } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import { MemorySaver } from "@langchain/langgraph";
import { type Memory, MongoMemoryStore } from "../../../src/index.js";
import type { DialectCall, DialectUnderTest } from "../../helpers/dialect-suite.js";
import { dialectsUnderTest } from "../../helpers/dialects-under-test.js";
import type { ServerKind } from "../../helpers/mongo-servers.js";
import { isLong, repetitions } from "../../helpers/repetitions.js";
import {
  canStop,
  createStumblingTool,
  modelThatCalls,
  runToEnd,
  type Stop,
  stops,
  type WayOfRunning,
  waysOfRunning,
  withRetries,
} from "../../helpers/repeated-runs.js";
import { testDatabase } from "../../helpers/test-database.js";

const rounds = repetitions({ usual: 1, long: 50 });
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
