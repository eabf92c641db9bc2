import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "@jest/globals";
import { type CommandStartedEvent, MongoClient } from "mongodb";
import { MemoryNode, MongoMemoryStore } from "../../../src/index.js";
import { commandsOf } from "../../helpers/commands-of.js";
import { FakeEmbeddings } from "../../helpers/fake-embeddings.js";
import { getFailure } from "../../helpers/get-failure.js";
import { getHistory, getProposals, memoryChanges, memoryReads, storeCalls } from "../../helpers/store-calls.js";
import { testDatabase } from "../../helpers/test-database.js";
import { useClient } from "../../helpers/use-client.js";

const { uri, name } = testDatabase("replicaSet");
const options = { monitorCommands: true, readPreference: "secondaryPreferred" } as const;
const watched = useClient(new MongoClient(uri, options));
const store = new MongoMemoryStore({
  client: watched,
  dbName: name,
  history: true,
  index: { dims: 4, embeddings: new FakeEmbeddings() },
  expireMs: { perUser: 1_000_000 },
});
const nodeId = `node ${randomUUID()}`;
const memory = store.memory({ nodeId });
const by = { userId: "ada" };

beforeAll(() => store.start());

/** The commands that a secondary may answer. */
async function findSecondaryReads(run: () => Promise<unknown>): Promise<string[]> {
  const commands = await commandsOf(watched, () => run().catch(() => undefined));
  expect(commands).not.toHaveLength(0);
  return commands.filter(mayGoToSecondary).map(({ commandName }) => commandName);
}

function mayGoToSecondary({ command }: CommandStartedEvent): boolean {
  const preference = command["$readPreference"] as { mode: string } | undefined;
  return preference !== undefined && preference.mode !== "primary";
}

describe("a client that prefers secondaries", () => {
  it("reads items from them", async () => {
    expect(await findSecondaryReads(() => store.get(["a"], "k"))).toEqual(["find"]);
    expect(await findSecondaryReads(() => store.search(["a"]))).toEqual(["find"]);
  });

  const ofMemory = Object.entries({ ...memoryReads, ...memoryChanges });
  it.each(ofMemory)("reads the primary for %s", async (_name, call) => {
    await memory.write("/a", "a word");
    expect(await findSecondaryReads(() => call(memory))).toEqual([]);
  });

  const ofMemories = Object.entries(storeCalls).filter(([title]) => /forget|sweep|file|Memories|Proposals/.test(title));
  it.each(ofMemories)("reads the primary for %s", async (_name, call) => {
    await memory.write("/a", "a word");
    const commands = await commandsOf(watched, () => call(store));
    const reads = commands.filter(({ command, commandName }) => command[commandName] !== "items");
    expect(reads.filter(mayGoToSecondary).map(({ commandName }) => commandName)).toEqual([]);
  });

  it("reads the primary for the versions and the proposals that exist", async () => {
    await memory.write("/b", "secret");
    await memory.write("/b", "other");
    const ids: string[] = [];
    for await (const { id } of getHistory(memory).list({ path: "/b" })) ids.push(id);
    const [last = "", first = ""] = ids;
    const node = new MemoryNode({ store, nodeId, rules: [{ path: "/**", access: "ask" }], onAsk: "propose" });
    const propose = async (text: string): Promise<string> =>
      (await getFailure(node.memory().append("/b", text))).proposal ?? "";
    const reads = await findSecondaryReads(async () => {
      expect(await getHistory(memory).diff(first, last)).toContain("+other");
      await getHistory(memory).blame("/b");
      await getHistory(memory).at(first);
      await getHistory(memory).revert({ path: "/b", to: first });
      await memory.write("/b", "other");
      await getHistory(memory).redact({ path: "/b" });
      await getProposals(memory).approve(await propose("x"), { by });
      await getProposals(memory).reject(await propose("y"), { by });
    });
    expect(reads).toEqual([]);
  });
});
