import { MemoryNode, MongoMemoryStore, mountMemories } from "../measuring/built-package.js";
import { type Case, measureCases, type Result } from "../measuring/measure.js";
import { inDatabase } from "../measuring/servers.js";
import { createCommands } from "./commands.js";
import { createDocument, createFixture } from "./fixture.js";

const points = ["/", "/team", "/rules", "/archive"];
const iterations = 60;
const mountGoal = 1.05;
const connectorGoal = 1.5;

/**
 * Commands through one mount against the same without, and the connector of four mounts against that of one of their
 * memories alone. @param column says where the server is
 */
export function measureMounts(uri: string, column: string, rounds: number): Promise<Result[]> {
  return inDatabase(uri, {}, async (client, dbName) => {
    const store = new MongoMemoryStore({ client, dbName });
    await store.start();
    const createMemories = async (fileCount: number): Promise<string[]> => {
      const documents = points.map(() => createDocument(createFixture(fileCount)));
      await client.db(dbName).collection("memories").insertMany(documents);
      return documents.map(({ nodeId }) => nodeId);
    };
    const [nodeId = ""] = await createMemories(100);
    const memory = store.memory({ nodeId });
    const plain = createCommands(memory, createFixture(100));
    const mounted = createCommands(mountMemories({ "/": memory }), createFixture(100));
    const cases: Case[] = (["read", "list", "append", "write", "outline"] as const).map((name) => {
      const row = `${name}, one mount`;
      return { row, column, ours: mounted[name], theirs: plain[name], iterations, atMost: mountGoal };
    });
    for (const fileCount of [10, 100]) {
      const [first = "", ...rest] = await createMemories(fileCount);
      const mounts = Object.fromEntries(rest.map((each, index) => [points[index + 1], { nodeId: each }]));
      const tree = new MemoryNode({ store, nodeId: first, mounts }).createConnector();
      const alone = new MemoryNode({ store, nodeId: first }).createConnector();
      cases.push({
        row: `connector of four mounts of ${fileCount} files`,
        column,
        ours: () => tree.renderMessage(),
        theirs: () => alone.renderMessage(),
        iterations,
        atMost: connectorGoal,
      });
    }
    const ping = () => client.db(dbName).command({ ping: 1 });
    const pings = { ours: () => Promise.all(points.map(ping)), theirs: ping };
    cases.push({ row: "four pings at once against one", column, ...pings, iterations });
    return measureCases(cases, { rounds });
  });
}
