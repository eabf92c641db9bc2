import { describe, expect, it } from "@jest/globals";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { buildGraph, MemoryTool, openMemory } from "../../../src/index.js";
import { ScriptedChatModel } from "../../helpers/scripted-chat-model.js";

/** Returns the message of what is thrown. */
function findMessage(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("nothing was thrown");
}

const manyKeys = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`k${index}`, 1]));
const many = Array.from({ length: 10_000 }, () => 1);
const long = "k".repeat(1_000_000);
const store = new InMemoryStore();

describe("a message about ten thousand faults", () => {
  it("names the first few options, and says how many more there are", () => {
    const open = (options: object) => findMessage(() => openMemory(store, { nodeId: "n" }, options));
    const message = open(manyKeys);
    expect(message).toMatch(
      /^invalid MemoryOptions: unknown option "k0" \(the options are paths, .*\); .*; and 9995 more$/,
    );
    expect(message.length).toBeLessThan(1000);
    expect(findMessage(() => new MemoryTool({ commands: many as never }))).toMatch(
      /^invalid MemoryToolOptions: commands\.0: .*commands\.4: .*; and 9995 more$/,
    );
    expect(open({ [long]: 1 }).length).toBeLessThan(400);
    expect(open({ paths: long }).length).toBeLessThan(300);
  });

  it("names a hundred faults of a definition of a graph", () => {
    const build = (definition: object) =>
      findMessage(() => buildGraph(definition as never, { store, model: new ScriptedChatModel(() => "done") }));
    const node = { id: "M", data: { template: "memory", config: manyKeys } };
    for (const definition of [
      { nodes: [node], edges: [] },
      { nodes: many, edges: [] },
    ]) {
      const message = build(definition);
      expect(message).toMatch(/\n- and 9900 more\.$/);
      expect(message.length).toBeLessThan(50_000);
    }
  });
});
