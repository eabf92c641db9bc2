import type { MongoClient } from "mongodb";
import { MemoryNode, MongoMemoryStore } from "../measuring/built-package.js";
import { tableHead, toRow } from "../measuring/report.js";
import { share, time } from "../measuring/times.js";
import { directoryFiles, getPath } from "./growth.js";

const calls = 30;
/** Calls that read the whole memory take seconds. */
const slowCalls = 3;

/** Commands of a memory that has grown, each by itself. */
export async function measureLargeMemory(
  client: MongoClient,
  dbName: string,
  nodeId: string,
  fileCount: number,
): Promise<string[]> {
  const store = new MongoMemoryStore({ client, dbName });
  const memory = store.memory({ nodeId });
  const node = new MemoryNode({ store, nodeId });
  const connector = node.createConnector();
  const directories = Math.floor(fileCount / directoryFiles);
  const pickFile = (call: number): string => getPath((call * 7_919) % fileCount);
  const pickDirectory = (call: number): string => `/d${(call * 7_919) % directories}`;
  const rows: string[] = [];
  const measure = async (name: string, count: number, run: (call: number) => Promise<unknown>): Promise<void> => {
    const times: number[] = [];
    for (let call = 0; call < count; call += 1) times.push(await time(() => run(call)));
    rows.push(toRow([name, share(times, 0.5), share(times, 0.99)]));
  };
  await measure("first connector of a process", slowCalls, () => {
    const fresh = new MongoMemoryStore({ client, dbName });
    return new MemoryNode({ store: fresh, nodeId }).createConnector().renderMessage();
  });
  await connector.renderMessage();
  await measure("read", calls, (call) => memory.read(pickFile(call)));
  await measure("append", calls, (call) => memory.append(pickFile(call), "- a note\n"));
  await measure("new file", calls, (call) => memory.write(`${pickDirectory(call)}/new-${call}`, "a new file\n"));
  await measure("delete of a file", calls, (call) => memory.delete(`${pickDirectory(call)}/new-${call}`));
  await measure(`list of a directory of ${directoryFiles}`, calls, (call) => memory.list(pickDirectory(call)));
  await measure(`rename of a directory of ${directoryFiles}`, calls, (call) =>
    memory.rename(pickDirectory(call), `/moved/e${call}`),
  );
  await measure("connector again, after a change", calls, async (call) => {
    await memory.append("/moved/e1/note", `- ${call}\n`);
    await connector.renderMessage();
  });
  await measure("snapshot", slowCalls, () => memory.snapshot());
  return [...tableHead(["command", "median, ms", "99 %, ms"]), ...rows];
}
