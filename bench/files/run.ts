import { randomUUID } from "node:crypto";
import type { Collection, MongoClient } from "mongodb";
import type { MongoMemoryStore as Store } from "../../src/index.js";
import { MemoryNode, MongoMemoryStore } from "../measuring/built-package.js";
import { type Call, type Case, measureCases } from "../measuring/measure.js";
import { machineLine, resultTable } from "../measuring/report.js";
import { durable, inDatabase, onServer } from "../measuring/servers.js";
import type { Settings } from "../measuring/settings.js";
import { addition, text } from "../memories/fixture.js";
import { createCommands, type FileCommand } from "./commands.js";
import { createManyFiles, type FileDocument, type ManyFiles, pickPlace } from "./fixture.js";
import { appendRaw, createRawCommands } from "./raw-commands.js";

const writers = 50;
const column = "ratio";

type Commands = Record<FileCommand, Call>;

/** What memories of the layout `files` cost, against the raw driver and against themselves. */
export async function measureFiles({ rounds, largeCount }: Settings): Promise<string[]> {
  return onServer("replicaSet", async (uri) => [
    await machineLine(uri, rounds),
    "A replica set of one, writes with majority and journal.",
    ...(await inDatabase(uri, {}, (client, dbName) => measureAll(client, dbName, rounds, largeCount))),
  ]);
}

async function measureAll(client: MongoClient, dbName: string, rounds: number, largeCount: number): Promise<string[]> {
  const getCollection = (name: string): Collection<FileDocument> =>
    client.db(dbName).collection(name, { writeConcern: durable });
  const documents = getCollection("memories_files");
  const raw = getCollection("raw");
  const store = new MongoMemoryStore({ client, dbName, layout: "files" });
  const ten = await createManyFiles(store, documents, 10);
  const hundred = await createManyFiles(store, documents, 100);
  const thousand = await createManyFiles(store, documents, 1000);
  const tenth = await createManyFiles(store, documents, largeCount / 10);
  const large = await createManyFiles(store, documents, largeCount);
  // Without the layout's own indexes.
  await documents.aggregate([{ $out: raw.collectionName }]).toArray();
  const history = { memoriesCollection: "kept", layout: "files", history: true } as const;
  const kept = new MongoMemoryStore({ client, dbName, ...history });
  const recorded = createCommands(await createManyFiles(kept, getCollection("kept_files"), 10));
  const [ours, small, theirs] = [createCommands(large), createCommands(ten), createRawCommands(client, raw, large)];
  const files = toFiles(large);
  const measure = async (title: string, cases: readonly Case[]): Promise<string[]> => [
    "",
    `${title}.`,
    "",
    ...resultTable("", await measureCases(cases, { rounds })),
  ];
  return [
    ...(await measure(
      `${files}, against the raw driver's command or transaction (goal: at most 1.3)`,
      compareCommands(Object.keys(ours) as FileCommand[], ours, theirs, 1.3),
    )),
    ...(await measure(
      `${files}, against the same with 10 (goal: at most 1.2)`,
      compareCommands(["read", "append", "update", "write"], ours, small, 1.2),
    )),
    ...(await measure(`A connector of ${files}, against one of 100 (goal: at most 3)`, [
      compareConnectors(store, large, hundred),
    ])),
    ...(await measure(
      `${writers} writers at the same time, against the other side, by the time that all of them take`,
      [compareAppenders(thousand, raw), compareCreators(store)],
    )),
    ...(await measure(
      "With `history: true`, against without",
      compareCommands(["append", "update", "write", "create"], recorded, small),
    )),
    ...(await measure(
      "With `maxMemoryBytes`, against without",
      [hundred, tenth, large].flatMap((each) => compareLimited(store, each)),
    )),
  ];
}

const toFiles = ({ count }: ManyFiles): string => `${count.toLocaleString("en")} files`;

function compareCommands(
  names: readonly FileCommand[],
  ours: Commands,
  theirs: Commands,
  atMost: number = Infinity,
): Case[] {
  return names.map((row) => ({ row, column, ours: ours[row], theirs: theirs[row], iterations: 100, atMost }));
}

function compareConnectors(store: Store, large: ManyFiles, few: ManyFiles): Case {
  const createRender = ({ memory }: ManyFiles): Call => {
    const connector = new MemoryNode({ store, nodeId: memory.address.nodeId }).createConnector();
    return () => connector.renderMessage();
  };
  const calls = { ours: createRender(large), theirs: createRender(few) };
  return { row: "connector", column, ...calls, iterations: 50, atMost: 3 };
}

const allWriters = (write: (writer: number) => Promise<unknown>): Promise<unknown> =>
  Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)));

/** Each appends to files of its own turn, ten times. */
function compareAppenders({ memory, count, prefix }: ManyFiles, raw: Collection<FileDocument>): Case {
  const appendAll =
    (append: (place: ReturnType<typeof pickPlace>) => Promise<unknown>): Call =>
    (iteration) =>
      allWriters(async (writer) => {
        for (let turn = 0; turn < 10; turn += 1)
          await append(pickPlace(count, (iteration * 10 + turn) * writers + writer));
      });
  return {
    row: "appenders on 1,000 files, against the raw driver (goal: at most 1.25)",
    column,
    ours: appendAll(({ path }) => memory.append(path, addition)),
    theirs: appendAll(({ directory, name }) => appendRaw(raw, `${prefix}${directory}\0${name}`)),
    iterations: 4,
    atMost: 1.25,
  };
}

/** Each makes two files, the first ones with their directories. */
function compareCreators(store: Store): Case {
  const createAll =
    (pickDirectory: (writer: number) => string): Call =>
    async () => {
      const memory = store.memory({ nodeId: randomUUID() });
      for (const name of ["first", "second"])
        await allWriters((writer) => memory.write(`${pickDirectory(writer)}/${name}-${writer}`, text));
    };
  return {
    row: "creators in one directory, against one for each (goal: at most 2.5)",
    column,
    ours: createAll(() => "/one"),
    theirs: createAll((writer) => `/of-${writer}`),
    iterations: 4,
    atMost: 2.5,
  };
}

/** One after the other, and those of all writers at once. */
function compareLimited(store: Store, files: ManyFiles): Case[] {
  const limited = { ...files, memory: store.memory(files.memory.address, { maxMemoryBytes: 1_000_000_000 }) };
  const [ours, theirs] = [createCommands(limited).append, createCommands(files).append];
  const atOnce =
    (append: Call): Call =>
    (iteration) =>
      allWriters((writer) => append(iteration * writers + writer));
  const all = { ours: atOnce(ours), theirs: atOnce(theirs) };
  return [
    { row: `append, ${toFiles(files)}`, column, ours, theirs, iterations: 20 },
    { row: `${writers} appends at once, ${toFiles(files)}`, column, ...all, iterations: 4 },
  ];
}
