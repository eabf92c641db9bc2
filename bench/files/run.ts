import { randomUUID } from "node:crypto";
import type { Collection, MongoClient } from "mongodb";
import { machineLine } from "../measuring/machine.js";
import { type Call, compare, type Comparison, measureRound, type Pair, type Sample } from "../measuring/measure.js";
import { durable, inDatabase, mongodVersion, onServer } from "../measuring/servers.js";
import { comparisonCell, row, tableHead } from "../measuring/table.js";
import { addition, text } from "../memories/fixture.js";
import { builtPackage, type Package } from "../package/built-package.js";
import { type FileCommand, fileCommandNames, fileCommands } from "./file-commands.js";
import { type FileDocument, type ManyFiles, manyFiles, placeOf, type Store } from "./fixture.js";
import { rawAppend, rawCommands } from "./raw-files.js";

const writers = 50;

interface Case extends Pair {
  what: string;
  goal: number;
  iterations: number;
}

/** What memories of the layout `files` cost, against the raw driver and against themselves. */
export async function measureFiles(rounds: number): Promise<string> {
  return onServer("replicaSet", async (uri) => {
    const lines = await inDatabase(uri, {}, (client, dbName) => measureAll(client, dbName, rounds));
    const machine = await machineLine({ mongod: await mongodVersion(uri), rounds });
    return ["## Measured", "", machine, "A replica set of one, writes with majority and journal.", "", ...lines].join(
      "\n",
    );
  });
}

async function measureAll(client: MongoClient, dbName: string, rounds: number): Promise<string[]> {
  const tested = await builtPackage();
  const collectionOf = (name: string): Collection<FileDocument> =>
    client.db(dbName).collection(name, { writeConcern: durable });
  const [documents, raw] = [collectionOf("memories_files"), collectionOf("raw")];
  const store = new tested.MongoMemoryStore({ client, dbName, layout: "files" });
  const few = await manyFiles(store, documents, 10);
  const hundred = await manyFiles(store, documents, 100);
  const some = await manyFiles(store, documents, 1000);
  const more = await manyFiles(store, documents, 10_000);
  const many = await manyFiles(store, documents, 100_000);
  // Without the layout's own indexes.
  await documents.aggregate([{ $out: raw.collectionName }]).toArray();
  const kept = new tested.MongoMemoryStore({
    client,
    dbName,
    memoriesCollection: "kept",
    layout: "files",
    history: true,
  });
  const recorded = fileCommands(await manyFiles(kept, collectionOf("kept_files"), 10));
  const [ours, small, theirs] = [fileCommands(many), fileCommands(few), rawCommands(client, raw, many)];
  const cases = (
    names: readonly FileCommand[],
    goal: number,
    left: Record<FileCommand, Call>,
    right: Record<FileCommand, Call>,
  ): Case[] => names.map((what) => ({ what, goal, iterations: 100, ours: left[what], theirs: right[what] }));
  const changes = ["append", "update", "write"] as const;
  return [
    ...(await tableOf(
      "100,000 files, against the raw driver's command or transaction",
      cases(fileCommandNames, 1.3, ours, theirs),
      rounds,
    )),
    ...(await tableOf(
      "100,000 files, against the same with 10",
      cases(["read", ...changes], 1.2, ours, small),
      rounds,
    )),
    ...(await tableOf(
      "A connector of 100,000 files, against one of 100",
      [connectors(tested, store, many, hundred)],
      rounds,
    )),
    ...(await tableOf(
      `${writers} writers at the same time, against the other side, by the time that all of them take`,
      [appenders(some, raw), creators(store)],
      rounds,
    )),
    ...(await tableOf(
      "With `history: true`, against without",
      cases([...changes, "create"], Infinity, recorded, small),
      rounds,
    )),
    ...(await tableOf(
      "With `maxMemoryBytes`, against without",
      [hundred, more, many].flatMap((files) => limitedAppends(store, files)),
      rounds,
    )),
  ];
}

/** One after the other, and those of all writers at once. */
function limitedAppends(store: Store, files: ManyFiles): Case[] {
  const limited = { ...files, memory: store.memory(files.memory.address, { maxMemoryBytes: 1_000_000_000 }) };
  const [ours, theirs] = [fileCommands(limited).append, fileCommands(files).append];
  const atOnce =
    (append: Call): Call =>
    (iteration) =>
      Promise.all(Array.from({ length: writers }, (_, writer) => append(iteration * writers + writer)));
  const of = `${files.count.toLocaleString("en")} files`;
  return [
    { what: `append, ${of}`, goal: Infinity, iterations: 20, ours, theirs },
    {
      what: `${writers} appends at once, ${of}`,
      goal: Infinity,
      iterations: 4,
      ours: atOnce(ours),
      theirs: atOnce(theirs),
    },
  ];
}

function connectors({ MemoryNode }: Package, store: Store, many: ManyFiles, few: ManyFiles): Case {
  const [ours, theirs] = [many, few].map(({ memory }): Call => {
    const connector = new MemoryNode({ store, nodeId: memory.address.nodeId }).createConnector();
    return () => connector.renderMessage();
  });
  if (ours === undefined || theirs === undefined) throw new Error("two connectors are compared");
  return { what: "connector", goal: 3, iterations: 50, ours, theirs };
}

/** Each appends to files of its own turn, ten times. */
function appenders(some: ManyFiles, raw: Collection<FileDocument>): Case {
  const all =
    (append: (iteration: number) => Promise<unknown>): Call =>
    (iteration) =>
      Promise.all(
        Array.from({ length: writers }, async (_, writer) => {
          for (let turn = 0; turn < 10; turn += 1) await append((iteration * 10 + turn) * writers + writer);
        }),
      );
  return {
    what: "appenders on 1,000 files, against the raw driver",
    goal: 1 / 0.8,
    iterations: 4,
    ours: all((iteration) => some.memory.append(placeOf(some.count, iteration).path, addition)),
    theirs: all((iteration) => {
      const { directory, name } = placeOf(some.count, iteration);
      return rawAppend(raw, `${some.prefix}${directory}\0${name}`);
    }),
  };
}

function creators(store: Store): Case {
  const all =
    (directoryOf: (writer: number) => string): Call =>
    async () => {
      const memory = store.memory({ nodeId: randomUUID() });
      await Promise.all(
        Array.from({ length: writers }, (_, writer) => memory.write(`${directoryOf(writer)}/first-${writer}`, text)),
      );
      await Promise.all(
        Array.from({ length: writers }, (_, writer) => memory.write(`${directoryOf(writer)}/file-${writer}`, text)),
      );
    };
  return {
    what: "creators in one directory, against one for each",
    goal: 1 / 0.4,
    iterations: 4,
    ours: all(() => "/one"),
    theirs: all((writer) => `/of-${writer}`),
  };
}

async function tableOf(title: string, cases: readonly Case[], rounds: number): Promise<string[]> {
  const samples = new Map<Case, Sample[]>(cases.map((each) => [each, []]));
  let first = 0;
  for (let round = 0; round <= rounds; round += 1) {
    for (const each of cases) {
      // Other files each round; what is created in one is deleted in the next.
      const shifted: Pair = {
        ours: (iteration) => each.ours(first + iteration),
        theirs: (iteration) => each.theirs(first + iteration),
      };
      const sample = await measureRound(shifted, each.iterations);
      if (round > 0) samples.get(each)?.push(sample);
    }
    first += Math.max(...cases.map(({ iterations }) => iterations));
  }
  const rows = cases.map((each): [Case, Comparison] => [each, compare(samples.get(each) ?? [])]);
  return [
    `${title}.`,
    "",
    ...tableHead(["", "ratio", "goal"]),
    ...rows.map(([{ what, goal }, found]) =>
      row([what, comparisonCell(found, found.ratio > goal), Number.isFinite(goal) ? goal.toFixed(2) : ""]),
    ),
    "",
  ];
}
