import { describe, expect, it } from "@jest/globals";
import { HumanMessage, SystemMessage } from "@langchain/core/messages";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { MemoryConnectorNode, MemoryNode } from "../../../src/index.js";
import { memoryMiddleware } from "../../../src/middleware/index.js";

const memory = new MemoryNode({ store: new InMemoryStore(), nodeId: "assistant" });

describe("the connector's configuration", () => {
  it("shows a tree of at most 4000 characters after the system prompt unless told otherwise", async () => {
    for (let index = 0; index < 200; index += 1) await memory.globalMemory().write(`/notes/file-${index}`, "the text");
    const sent = await new MemoryConnectorNode({ memory }).inject([new SystemMessage("S"), new HumanMessage("u")], {});
    const text = sent.map((message) => message.text).join("\n");
    expect(text).toMatch(/^S\s+<memory[\s\S]*<\/memory>\nu$/);
    expect(text).toContain("file-10 ");
    expect(text).not.toContain("the text");
    expect(text.length).toBeGreaterThan(3500);
    expect(text.length).toBeLessThan(4010);
  });

  it("shows what fits the turn if the memory has a log, also one that comes after the connector", async () => {
    const node = new MemoryNode({ store: new InMemoryStore(), nodeId: "assistant" });
    const connector = node.createConnector();
    await node.memory().write("/food", "Is vegetarian.");
    expect((await connector.renderMessage())?.text).not.toContain("Is vegetarian.");
    memoryMiddleware({ memory: node, log: true });
    expect((await connector.renderMessage())?.text).toContain("Is vegetarian.");
    expect((await node.createConnector({ content: "tree" }).renderMessage())?.text).not.toContain("Is vegetarian.");
  });

  it.each([
    ["pinned files", { pinned: ["/food"] }],
    ["a limit in tokens", { maxTokens: 100, countTokens: (text: string) => text.length / 4 }],
  ])("shows what fits the turn with %s", async (_, config) => {
    const node = new MemoryNode({ store: new InMemoryStore(), nodeId: "assistant" });
    await node.memory().write("/food", "Is vegetarian.");
    expect((await node.createConnector(config).renderMessage())?.text).toContain("Is vegetarian.");
  });

  it.each<[string, unknown, string[]]>([
    [
      "an unknown placement",
      { placement: "top" },
      ["placement", '"top"', "after_system", "before_system", "last_message"],
    ],
    ["an unknown content", { content: "all" }, ["content", '"all"', "tree", "full"]],
    ["a limit of nothing", { maxChars: 0 }, ["maxChars", "given 0", "1"]],
    ["a limit over the largest", { maxChars: 200_001 }, ["maxChars", "given 200001", "200000"]],
    ["half a character", { maxChars: 1.5 }, ["maxChars", "given 1.5", "int"]],
    ["an unknown way of sending", { systemMessages: "two" }, ["systemMessages", '"two"', "auto", "separate", "merged"]],
    ["an unknown role", { role: "system" }, ["role", '"system"', "auto", "user"]],
    ["a callback that is none", { onError: "log" }, ["onError", '"log"', "function"]],
    ["tokens that nobody counts", { content: "auto", maxTokens: 10 }, ["maxTokens and countTokens belong together"]],
    ["a pinned file of a tree", { content: "tree", pinned: ["/a"] }, ['maxTokens and pinned need content: "auto"']],
    ["a pattern that is no absolute path", { content: "auto", pinned: ["a"] }, ["pinned", "absolute path"]],
    ["a misspelt field", { maxchars: 10 }, ["maxchars"]],
  ])("refuses %s with a TypeError that says what was given and what would do", (_, config, said) => {
    const create = (): unknown => new MemoryConnectorNode({ memory, ...(config as object) });
    expect(create).toThrow(TypeError);
    for (const words of said) expect(create).toThrow(words);
  });
});
