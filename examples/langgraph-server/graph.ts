import { Agent, MemoryNode, MongoMemoryStore } from "langgraph-mongo-memory";
import { chooseModel } from "../shared/choose-model.js";
import { script } from "./script.js";

// Without a store of its own, a node uses that of the run, which is the server's.
const { MONGODB_URI: uri } = process.env;
const own = uri ? { store: await MongoMemoryStore.fromConnString(uri) } : {};
const memoryNode = new MemoryNode({ nodeId: "example-langgraph-server", ...own });

const { model } = await chooseModel(script);
const agent = new Agent({
  model,
  tools: memoryNode.memoryTools,
  systemPrompt: "You help the operations team. Note in /servers of your memory what others will need.",
});
agent.attachMemoryConnector(memoryNode.createConnector({ content: "full" }));

export const { graph } = agent;
