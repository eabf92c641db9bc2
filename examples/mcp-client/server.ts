import { openMemory } from "langgraph-mongo-memory";
import { serveStdio } from "langgraph-mongo-memory/mcp";
import { chooseStore } from "../shared/choose-store.js";

// Standard output belongs to the protocol: what people should read goes to standard error.
const { store, name, close } = await chooseStore();
console.error(`Store: ${name}`);
try {
  await serveStdio({ memory: openMemory(store, { nodeId: "example-mcp-client" }) });
} finally {
  await close();
}
