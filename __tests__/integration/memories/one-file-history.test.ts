import { describe, expect, it } from "@jest/globals";
import { MongoClient } from "mongodb";
import { type Memory, type MemoryHistory, MongoMemoryStore } from "../../../src/index.js";
import { answersOf } from "../../helpers/answers-of.js";
import { freshAddress } from "../../helpers/memory-case.js";
import type { ServerKind } from "../../helpers/mongo-servers.js";
import { withPageBytes } from "../../helpers/page-sizes.js";
import { createFiles, putFiles } from "../../helpers/paged-memories.js";
import { readAll } from "../../helpers/read-all.js";
import { getHistory } from "../../helpers/store-calls.js";
import { testDatabase } from "../../helpers/test-database.js";
import { useClient } from "../../helpers/use-client.js";

interface Cost {
  commands: number;
  bytes: number;
}

/** Some 1.2 MB. A replica set keeps them in pages of at most 20 kB. */
const files = Object.fromEntries(Object.entries(createFiles(500)).map(([path, text]) => [path, text.repeat(20)]));

describe.each<ServerKind>(["standalone", "replicaSet"])("on a %s the history of one file", (server) => {
  const { uri, name: dbName } = testDatabase(server);
  const client = useClient(new MongoClient(uri, { monitorCommands: true }));
  const options = { client, dbName, ...withPageBytes(20_000) };
  const store = new MongoMemoryStore({ ...options, history: true });
  const withoutHistory = new MongoMemoryStore(options);

  /** Measures the answers to the commands of a call. */
  async function measure(memory: Memory, call: (history: MemoryHistory) => Promise<unknown>): Promise<Cost> {
    const answers = await answersOf(client, () => call(getHistory(memory)));
    return { commands: answers.length, bytes: answers.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) };
  }

  /** Creates a memory that has no versions yet. */
  async function createMemory(content: Record<string, string> = files): Promise<Memory> {
    const memory = store.memory(freshAddress());
    await putFiles(withoutHistory, memory, content);
    await memory.list("/");
    return memory;
  }

  const readTexts = async (memory: Memory): Promise<object> => {
    const { files: present, directories } = await memory.snapshot();
    return { files: present.map(({ path, content }) => [path, content]), directories };
  };

  const lastOf = async (memory: Memory, path: string): Promise<string> => {
    const [last] = await readAll(getHistory(memory).list({ path, limit: 1 }));
    return last?.id ?? "";
  };

  it.each<[string, (history: MemoryHistory, id: string) => Promise<unknown>]>([
    ["a version", (history, id) => history.read(id)],
    ["a difference", (history, id) => history.diff(id)],
    ["blame", (history) => history.blame("/small")],
  ])("reads for %s no text of other files that have changed", async (_title, read) => {
    const others = Array.from({ length: 30 }, (_, index) => `/d/${index}`);
    const texts = others.map((path): [string, string] => [path, "A long text. ".repeat(1000)]);
    const memory = await createMemory({ "/small": "one", ...Object.fromEntries(texts) });
    for (const path of ["/small", ...others]) await memory.append(path, "a line");
    const id = await lastOf(memory, "/small");
    const cost = await measure(memory, (history) => read(history, id));
    expect(cost.bytes).toBeLessThan(50_000);
    expect(cost.commands).toBeLessThanOrEqual(8);
  });

  it.each<[string, (memory: Memory) => Promise<unknown>, (history: MemoryHistory, id: string) => Promise<unknown>]>([
    [
      "a file is restored",
      (memory) => memory.append("/d20/f5", "two"),
      (history, id) => history.revert({ path: "/d20/f5", to: id }),
    ],
    [
      "a call is undone",
      (memory) => memory.with({ actor: { toolCallId: "call" } }).rename("/d20/f5", "/d40/moved"),
      (history) => history.revert({ toolCallId: "call" }),
    ],
    [
      "a run is undone that changed two files",
      async (memory) => {
        const run = memory.with({ actor: { runId: "run" } });
        await run.append("/d20/f5", "two");
        await run.write("/d40/new/file", "a new text");
      },
      (history) => history.revert({ runId: "run" }),
    ],
    [
      "a directory is restored",
      (memory) => memory.delete("/d20"),
      (history, id) => history.revert({ path: "/d20", to: id }),
    ],
  ])("reads the pages that it touches when %s", async (_title, change, revert) => {
    const memory = await createMemory();
    await memory.append("/d20/f5", "one");
    const id = await lastOf(memory, "/d20/f5");
    const before = await readTexts(memory);
    await change(memory);
    expect(await readTexts(memory)).not.toEqual(before);
    const { bytes } = await measure(memory, (history) => revert(history, id));
    expect(await readTexts(memory)).toEqual(before);
    expect(bytes).toBeLessThan(250_000);
  });
});
