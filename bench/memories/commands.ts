import type { Memory } from "../../src/index.js";
import { MongoMemoryStore } from "../measuring/built-package.js";
import type { Call } from "../measuring/measure.js";
import { tableHead, toRow } from "../measuring/report.js";
import { inDatabase } from "../measuring/servers.js";
import type { Settings } from "../measuring/settings.js";
import { share, time } from "../measuring/times.js";
import { addition, createFixture, createMemory, type Fixture, pickFile, text } from "./fixture.js";

const callsOfRound = 50;

/** The median of each command of a memory, for each number of files. */
export function measureCommands(uri: string, { rounds, fileCounts }: Settings): Promise<string[]> {
  return inDatabase(uri, {}, async (client, dbName) => {
    const store = new MongoMemoryStore({ client, dbName });
    const columns: Map<string, string>[] = [];
    for (const fileCount of fileCounts) {
      const fixture = createFixture(fileCount);
      const memory = await createMemory(store, fixture);
      const medians = new Map<string, string>();
      for (const [name, call] of Object.entries(createCommands(memory, fixture)))
        medians.set(name, await measureMedian(call, callsOfRound * rounds, () => putBack(memory, fixture, name)));
      columns.push(medians);
    }
    const names = [...(columns[0]?.keys() ?? [])];
    return [
      ...tableHead(["command, ms", ...fileCounts.map((count) => `${count} files`)]),
      ...names.map((name) => toRow([name, ...columns.map((medians) => medians.get(name) ?? "")])),
    ];
  });
}

/** As many calls before do not count, in which the engine prepares the code. */
async function measureMedian(call: Call, calls: number, restore: () => Promise<unknown>): Promise<string> {
  const times: number[] = [];
  for (let iteration = 0; iteration < 2 * calls; iteration += 1) {
    const tookMs = await time(() => call(iteration));
    if (iteration >= calls) times.push(tookMs);
    await restore();
  }
  return share(times, 0.5);
}

/** Not timed. */
async function putBack(memory: Memory, { paths: [first = ""] }: Fixture, name: string): Promise<void> {
  if (name === "delete") await memory.write(first, text);
}

function createCommands(memory: Memory, fixture: Fixture): Record<string, Call> {
  const getPath = (iteration: number): string => pickFile(fixture, iteration).path;
  return {
    append: (iteration) => memory.append(getPath(iteration), addition),
    update: (iteration) => {
      const { path, oldWord, newWord } = pickFile(fixture, iteration);
      return memory.update(path, oldWord, newWord);
    },
    write: (iteration) => memory.write(getPath(iteration), text),
    delete: () => memory.delete(getPath(0)),
    read: (iteration) => memory.read(getPath(iteration)),
    list: () => memory.list("/"),
    stat: (iteration) => memory.stat(getPath(iteration)),
    outline: () => memory.outline(),
    snapshot: () => memory.snapshot(),
  };
}
