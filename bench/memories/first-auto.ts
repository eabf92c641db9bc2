import { MongoClient } from "mongodb";
import { MemoryNode, MongoMemoryStore } from "../measuring/built-package.js";
import { createWords } from "../search/words.js";

/*
 * A process that takes its first snapshot of a memory, then shows the memory as `auto` for the first time, and sends
 * both times to its parent.
 */
const [uri = "", dbName = "", nodeId = ""] = process.argv.slice(2);

async function measure(call: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await call();
  return performance.now() - start;
}

const client = new MongoClient(uri);
const store = new MongoMemoryStore({ client, dbName });
const memory = store.memory({ nodeId });
const connector = new MemoryNode({ nodeId, store, log: true }).createConnector({ content: "auto" });
await memory.read("/note");
const snapshotMs = await measure(() => memory.snapshot());
const autoMs = await measure(() => connector.renderMessage({ question: createWords(6) }));
await client.close();
process.send?.([autoMs, snapshotMs], () => process.disconnect());
