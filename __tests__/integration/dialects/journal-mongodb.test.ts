import { beforeAll, describe, expect, it } from "@jest/globals";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { CommandStartedEvent, CommandSucceededEvent } from "mongodb";
import { BSON, MongoClient } from "mongodb";
import { type Memory, MongoMemoryStore } from "../../../src/index.js";
import { freshAddress } from "../../helpers/memory-case.js";
import { compiled } from "../../helpers/compiled-sources.js";
import { JournalBench } from "../../helpers/journal-scenario.js";
import { repetitions } from "../../helpers/repetitions.js";
import { testDatabase } from "../../helpers/test-database.js";
import { useClient } from "../../helpers/use-client.js";

const runProcess = promisify(execFile);
const worker = compiled("__tests__/helpers/journal-worker.ts");
const { uri, name } = testDatabase();
const client = useClient(new MongoClient(uri, { monitorCommands: true }));
const store = new MongoMemoryStore({ client, dbName: name });

interface Answer {
  success: boolean;
  data?: { key: string };
  error?: { code: string };
}

/** The answers of processes that each write their keys at once. */
async function writeInProcesses(nodeId: string, keysOfProcesses: string[][]): Promise<Answer[]> {
  const outputs = await Promise.all(
    keysOfProcesses.map((keys) => runProcess(process.execPath, [worker, uri, name, nodeId, JSON.stringify(keys)])),
  );
  return outputs.flatMap(({ stdout }) => (JSON.parse(stdout) as string[]).map((text) => JSON.parse(text) as Answer));
}

/** Every heading in the journal's files, whose number shows a key that was written twice. */
async function headings(memory: Memory): Promise<string[]> {
  const { files } = await memory.snapshot();
  const texts = files.filter(({ path }) => path.endsWith(".md")).map(({ content }) => content);
  return texts.flatMap((text) => text.match(/^### .*$/gm) ?? []).map((heading) => heading.slice(4));
}

const numbered = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix} ${index}`);

describe("processes at once", () => {
  const address = freshAddress();
  const processes = repetitions({ usual: 6, long: 16 });
  const shared = numbered("shared", 5);
  const own = Array.from({ length: processes }, (_, process) => numbered(`of ${process}`, 10));
  let answers: Answer[] = [];
  let found: string[] = [];

  beforeAll(async () => {
    answers = await writeInProcesses(
      address.nodeId,
      own.map((keys) => [...keys, ...shared]),
    );
    found = await headings(store.memory(address));
  });

  it(`${processes} with distinct keys lose none`, () => {
    expect(found.filter((key) => !shared.includes(key)).toSorted()).toEqual(own.flat().toSorted());
  });

  it(`${processes} with the same keys, into the summary and the day, have each accepted once`, () => {
    expect(found.filter((key) => shared.includes(key)).toSorted()).toEqual(shared);
    const accepted = answers.flatMap(({ data }) => data?.key ?? []);
    expect(accepted.toSorted()).toEqual([...own.flat(), ...shared].toSorted());
    expect(answers.flatMap(({ error }) => error?.code ?? [])).toEqual(
      Array.from({ length: (processes - 1) * shared.length }, () => "MEMORY_KEY_EXISTS"),
    );
  });
});

describe("calls at once", () => {
  it("50 writes of one key: one is accepted", async () => {
    const memory = store.memory(freshAddress());
    const bench = new JournalBench("/", memory);
    const answers = await Promise.all(
      numbered("", 50).map((content, index) =>
        bench.call("memory_write", { key: "k", content, target: index % 2 === 0 ? "daily" : "summary" }),
      ),
    );
    expect(answers.filter(({ success }) => success)).toHaveLength(1);
    expect(new Set(answers.map(({ error }) => error?.code))).toEqual(new Set([undefined, "MEMORY_KEY_EXISTS"]));
    expect(await headings(memory)).toEqual(["k"]);
  });

  it("30 updates of different keys, and writes, in one file: nothing is lost or doubled", async () => {
    const memory = store.memory(freshAddress());
    const bench = new JournalBench("/", memory);
    for (const key of numbered("old", 30)) await bench.call("memory_write", { key, content: "é before", tags: ["t"] });
    const updates = numbered("old", 30).map((key) => bench.call("memory_update", { key, content: `after ${key}` }));
    const writes = numbered("new", 10).map((key) => bench.call("memory_write", { key, content: `first ${key}` }));
    const answers = await Promise.all([...updates, ...writes]);
    expect(answers.filter(({ success }) => !success)).toEqual([]);
    expect((await headings(memory)).toSorted()).toEqual([...numbered("new", 10), ...numbered("old", 30)].toSorted());
    const { data } = await bench.call("memory_search", { query: "after old", tags: ["t"], limit: 100 });
    expect(data?.["results"]).toHaveLength(30);
  });
});

describe("cost", () => {
  /** Commands and bytes, both ways, that reach the database while `run` runs. */
  async function measureCost(run: () => Promise<unknown>): Promise<{ commands: number; bytes: number }> {
    const cost = { commands: 0, bytes: 0 };
    const own = new Set<number>();
    const started = ({ databaseName, requestId, command }: CommandStartedEvent): void => {
      if (databaseName !== name) return;
      own.add(requestId);
      cost.commands += 1;
      cost.bytes += BSON.calculateObjectSize(command);
    };
    const succeeded = ({ requestId, reply }: CommandSucceededEvent): void => {
      if (own.has(requestId)) cost.bytes += BSON.calculateObjectSize(reply as object);
    };
    client.on("commandStarted", started).on("commandSucceeded", succeeded);
    await run().finally(() => client.off("commandStarted", started).off("commandSucceeded", succeeded));
    return cost;
  }

  /** A journal of so many days, as the crate left them. */
  async function createJournal(days: number): Promise<JournalBench> {
    const address = freshAddress();
    const memory = store.memory(address);
    const bench = new JournalBench("/", memory);
    await bench.call("memory_write", { key: "first", content: "x" });
    const dates = Array.from({ length: days }, (_, day) => new Date(Date.UTC(2000, 0, 1 + day)).toISOString());
    const data = dates.map((date): [string, string] => [
      `${date.slice(0, 10).replaceAll("-", ".")}%2Emd`,
      `### key of ${date.slice(0, 10)}\n\nwhat happened\n\n<!-- agentool-memory: at=${date.slice(0, 19)}+00:00 -->\n\n`,
    ]);
    const fields = Object.fromEntries(data);
    const change = [{ $set: { data: { $mergeObjects: ["$data", { $literal: fields }] } } }];
    await client.db(name).collection("memories").updateOne(address, change);
    return bench;
  }

  it("a read by key takes one command, however many days there are", async () => {
    for (const days of [20, 2000]) {
      const bench = await createJournal(days);
      const { commands } = await measureCost(async () => {
        const { data } = await bench.call("memory_read", { key: "key of 2000-01-11" });
        expect(data).toMatchObject({ content: "what happened", file: "2000/01/11.md" });
      });
      expect(commands).toBe(1);
    }
  });

  it("uncontended calls take few commands", async () => {
    const bench = await createJournal(3);
    await bench.call("memory_write", { key: "a", content: "x" });
    const getCommands = async (tool: string, args: object): Promise<number> =>
      (await measureCost(async () => expect(await bench.call(tool, args)).toMatchObject({ success: true }))).commands;
    expect({
      write: await getCommands("memory_write", { key: "b", content: "x" }),
      update: await getCommands("memory_update", { key: "a", content: "y" }),
      read: await getCommands("memory_read", { key: "a" }),
      search: await getCommands("memory_search", { query: "x" }),
    }).toEqual({ write: 3, update: 2, read: 1, search: 1 });
  });
});
