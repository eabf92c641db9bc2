import { equal, match } from "node:assert/strict";
import { createAgent } from "langchain";
import { MemoryNode } from "langgraph-mongo-memory";
import { createClaudeMemoryTool } from "langgraph-mongo-memory/claude";
import { chooseStore } from "../shared/choose-store.js";
import { say } from "../shared/print.js";
import { chooseClaude } from "./claude.js";

const { model, name: modelName } = chooseClaude();
const { store, name: storeName, close } = await chooseStore();
say(`Store: ${storeName}\nModel: ${modelName}`);

try {
  const memoryNode = new MemoryNode({ store, nodeId: "example-claude-memory-tool" });
  const memory = memoryNode.memory();
  // An earlier run may have left notes in MongoDB.
  await memory.delete("/");

  // Sent to Claude as its native memory tool. What it calls /memories is the root of the memory.
  const agent = createAgent({ model, tools: [createClaudeMemoryTool(memoryNode)] });

  const ask = async (content: string): Promise<string> => {
    say(`\n[new conversation] ${content}`);
    const { messages } = await agent.invoke({ messages: [{ role: "user", content }] });
    const answer = messages.at(-1)?.text ?? "";
    say(`  Answer: ${answer}`);
    return answer;
  };

  await ask("Staging listens on port 8443. Note it in /memories/staging.md.");
  match(await memory.read("/staging.md"), /8443/, "Claude's note, for every other way in");

  // Programs and Claude share the memory.
  equal(await memory.update("/staging.md", "8443", "9443"), 1);
  match(await ask("On which port does staging listen?"), /9443/, "Claude reads what the program wrote");
} finally {
  await close();
}
