import { randomUUID } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import { Command, MemorySaver } from "@langchain/langgraph";
import { MemoryNode, MongoMemoryStore } from "../../../src/index.js";
import type { ServerKind } from "../../helpers/mongo-servers.js";
import { modelThatCalls, type RunnableGraph, type WayOfRunning, waysOfRunning } from "../../helpers/repeated-runs.js";
import { isLong, repetitions } from "../../helpers/repetitions.js";
import type { ScriptedCall } from "../../helpers/scripted-chat-model.js";
import { testDatabase } from "../../helpers/test-database.js";

const rounds = repetitions({ usual: 1, long: 50 });
const kinds: ServerKind[] = isLong ? ["replicaSet", "standalone"] : ["replicaSet"];

/** A node that passes no config has no questions that LangGraph can ask again. */
const ways = (Object.keys(waysOfRunning) as WayOfRunning[]).filter((way) => way !== "a node that passes no config");

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
  const { client, name: dbName } = testDatabase(kind);
  const store = new MongoMemoryStore({ client, dbName, history: true });

  it.each(ways)("make each change of %s once, and the one that needs none", async (way) => {
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
      const { files } = await memory.snapshot();
      expect(Object.fromEntries(files.map(({ path, content }) => [path, content]))).toEqual(
        Object.fromEntries([...asked, "/free"].map((path) => [path, "x"])),
      );
      const versions: string[] = [];
      for await (const { path } of memory.history?.list() ?? []) versions.push(path);
      expect(versions.toSorted()).toEqual([...asked, "/free"]);
    }
  });
});
