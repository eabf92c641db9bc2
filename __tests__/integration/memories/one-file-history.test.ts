import { describe, expect, it } from "@jest/globals";
import { MongoClient } from "mongodb";
import { type Memory, type MemoryHistory, MongoMemoryStore } from "../../../src/index.js";
import { answersOf } from "../../helpers/answers-of.js";
import { freshAddress } from "../../helpers/memory-case.js";
import type { ServerKind } from "../../helpers/mongo-servers.js";
import { withPageBytes } from "../../helpers/page-sizes.js";
import { createFiles, putFiles } from "../../helpers/paged-memories.js";
import { readAll } from "../../helpers/read-all.js";
import { isLong } from "../../helpers/repetitions.js";
import { getHistory } from "../../helpers/store-calls.js";
import { testDatabase } from "../../helpers/test-database.js";
import { useClient } from "../../helpers/use-client.js";

interface Cost {
  commands: number;
  bytes: number;
}

/** Some 1.2 MB. A replica set keeps them in pages of at most 20 kB. */
const files = Object.fromEntries(Object.entries(createFiles(500)).map(([path, text]) => [path, text.repeat(20)]));

const kinds: ServerKind[] = isLong ? ["standalone", "replicaSet"] : ["replicaSet"];

describe.each(kinds)("on a %s the history of one file", (server) => {
  const { uri, name: dbName, db } = testDatabase(server);
  const client = useClient(new MongoClient(uri, { monitorCommands: true }));
  const options = { client, dbName, ...withPageBytes(20_000) };
  const store = new MongoMemoryStore({ ...options, history: true });
  const withoutHistory = new MongoMemoryStore(options);
  /** Its moves of versions in the background are not measured. */
  const ofOther = new MongoMemoryStore({ ...options, client: useClient(new MongoClient(uri)), history: true });
  /** Keeps a memory of small files in one page. */
  const single = new MongoMemoryStore({ client, dbName, history: true });

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
    for (const path of ["/small", ...others]) await ofOther.memory(memory.address).append(path, "a line");
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

  /** Creates a memory in which a file has three versions, before those of some others. */
  async function createVersions(others: number): Promise<Memory> {
    const memory = single.memory({ nodeId: `${others} others` });
    for (const text of ["one", "two", "three"]) await memory.write("/a", text);
    await Promise.all(Array.from({ length: others }, (_, index) => memory.write(`/d/${index}`, "x".repeat(200))));
    // All versions leave the memory's document. Twice, because versions may be on their way behind the last change.
    for (const text of ["no such text", "nor this"]) await getHistory(memory).redact({ text });
    // Reads show what a majority has, and the removal from the document does not wait for it.
    await db.collection("other").insertOne({}, { writeConcern: { w: "majority" } });
    return memory;
  }

  it("of one version is read and compared at the same cost, however many other files the memory has", async () => {
    const [small, large] = [await createVersions(10), await createVersions(300)];
    const reads = [
      (history: MemoryHistory) => history.read("1"),
      (history: MemoryHistory) => history.diff("1"),
      (history: MemoryHistory) => history.diff("1", "2"),
    ];
    for (const read of reads) {
      const [ofSmall, ofLarge] = [await measure(small, read), await measure(large, read)];
      expect(ofLarge.commands).toBe(ofSmall.commands);
      // An id may have a digit more.
      expect(Math.abs(ofLarge.bytes - ofSmall.bytes)).toBeLessThan(1000);
      expect(ofLarge.bytes).toBeLessThanOrEqual(5000);
    }
  });

  it("of one version is read right while its file is renamed and written", async () => {
    const memory = single.memory({ nodeId: "renamed" });
    await memory.write("/0", "one");
    await memory.append("/0", "two");
    let isDone = false;
    const change = async (): Promise<void> => {
      for (let index = 0; index < 40; index += 1) {
        await memory.rename(`/${index}`, `/${index + 1}`);
        await memory.append(`/${index + 1}`, `line ${index}`);
      }
      isDone = true;
    };
    const read = async (): Promise<void> => {
      while (!isDone) {
        expect((await getHistory(memory).read("1")).content).toBe("one");
        expect((await getHistory(memory).read("2")).content).toBe("one\ntwo");
      }
    };
    await Promise.all([change(), read(), read()]);
    expect(await getHistory(memory).diff("2")).toContain("+line 39");
  });
});
