import { deepEqual, match } from "node:assert/strict";
import { Agent, MemoryNode, MemoryTool } from "langgraph-mongo-memory";
import { chooseModel } from "../shared/choose-model.js";
import { chooseStore } from "../shared/choose-store.js";
import { MessagePrinter, say } from "../shared/print.js";
import { scripts } from "./script.js";

const { store, name: storeName, close } = await chooseStore();
const { name: modelName } = await chooseModel(scripts.desk);
say(`Store: ${storeName}\nModel: ${modelName}`);

try {
  const memoryNode = new MemoryNode({ store, nodeId: "example-shared-memory" });
  const memory = memoryNode.memory();
  // An earlier run may have left notes in MongoDB.
  await memory.delete("/");

  const writing = new MemoryTool({ memory: memoryNode });
  // The model is offered these commands alone; any other is answered with EACCES.
  const reading = new MemoryTool({ memory: memoryNode, commands: ["read", "list"] });

  const makeAgent = async (role: keyof typeof scripts, tool: MemoryTool, systemPrompt: string): Promise<Agent> => {
    const { model } = await chooseModel(scripts[role]);
    const agent = new Agent({ model, tools: [tool], systemPrompt });
    agent.attachMemoryConnector(memoryNode.createConnector({ content: "full" }));
    return agent;
  };
  const roads = await makeAgent("roads", writing, "You watch the roads. Append each report to /findings of your memory.");
  const weather = await makeAgent("weather", writing, "You watch the weather. Append each report to /findings of your memory.");
  const desk = await makeAgent("desk", reading, "You answer drivers by the findings of your memory. Do with it what they ask.");

  // Both at once, to one file: neither note is lost.
  await Promise.all([
    roads.invoke({ messages: [{ role: "user", content: "The bridge at Mill Lane is closed." }] }),
    weather.invoke({ messages: [{ role: "user", content: "A storm comes from the west at noon." }] }),
  ]);
  const findings = (await memory.read("/findings")).split("\n").toSorted();
  say("\nThe findings of both agents, sorted:");
  for (const finding of findings) say(`  ${finding}`);
  match(findings.join(), /storm.*bridge/i, "no note is lost");

  // One of the two was first: the rest of this output must not depend on which.
  await memory.write("/findings", findings.join("\n"));
  const question = "Delete the findings, then tell me how the roads are.";
  say(`\n[desk] ${question}`);
  const { messages } = await desk.invoke({ messages: [{ role: "user", content: question }] }, { callbacks: [new MessagePrinter()] });
  say(`  Answer: ${messages.at(-1)?.text}`);

  deepEqual((await memory.read("/findings")).split("\n"), findings, "the reader changed nothing");
  const refused = await reading.invoke({ command: "append", path: "/findings", content: "All is well." });
  match(refused, /"code":"EACCES"/, "whatever it is called with");
  say(`\nThe read-only tool, asked to append: ${refused}`);
} finally {
  await close();
}
