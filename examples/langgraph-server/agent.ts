import { ChatOpenAI } from "@langchain/openai";
import { Agent, MemoryNode, MongoMemoryStore } from "langgraph-mongo-memory";
import { scriptedModel } from "./scripted-model.js";

const { OPENAI_API_KEY: key, OPENAI_MODEL: modelName = "gpt-4.1-mini", MONGODB_URI: uri } = process.env;

// A node that has no store uses the store of the run, which is the server's.
const own = uri ? { store: await MongoMemoryStore.fromConnString(uri) } : {};
const node = new MemoryNode({ nodeId: "example-langgraph-server", scope: "global", ...own });
const agent = new Agent({
  model: key ? new ChatOpenAI({ model: modelName }) : scriptedModel(),
  tools: node.memoryTools,
  systemPrompt: "You help the operations team. Note in /servers of your memory what others will need.",
  memoryConnector: node,
  // Adds what was said to the memory, so that others can be answered from it.
  log: true,
});

/** The graph that `langgraph.json` names. */
export const { graph } = agent;
