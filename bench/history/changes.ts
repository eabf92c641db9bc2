import type { Memory } from "../../src/index.js";
import { MongoMemoryStore } from "../measuring/built-package.js";
import { type Call, type Case, measureCases } from "../measuring/measure.js";
import { resultTable } from "../measuring/report.js";
import { inDatabase } from "../measuring/servers.js";
import type { Settings } from "../measuring/settings.js";
import { addition, createFixture, createMemory, type Fixture, pickFile, text } from "../memories/fixture.js";

const goal = 1.25;
/** A hundred, so that each round has its share of moving versions. */
const iterations = 100;

/** As in a run of an agent. */
const actor = { userId: "ada", threadId: "thread", runId: "run", toolCallId: "call", node: "tools" };

const changes: Record<string, (memory: Memory, fixture: Fixture) => Call> = {
  append: (memory, fixture) => (iteration) => memory.append(pickFile(fixture, iteration).path, addition),
  update: (memory, fixture) => (iteration) => {
    const { path, oldWord, newWord } = pickFile(fixture, iteration);
    return memory.update(path, oldWord, newWord);
  },
  write: (memory, fixture) => (iteration) => memory.write(pickFile(fixture, iteration).path, `${text}${iteration}`),
  edit: (memory, fixture) => (iteration) =>
    memory.edit(pickFile(fixture, iteration).path, (old) => `${old.slice(0, 500)}${iteration}`),
  "create, then delete": (memory) => async (iteration) => {
    await memory.write(`/new-${iteration}`, text);
    await memory.delete(`/new-${iteration}`);
  },
  "rename, and back": (memory, fixture) => async (iteration) => {
    const { path } = pickFile(fixture, iteration);
    await memory.rename(path, "/moved");
    await memory.rename("/moved", path);
  },
};

/** Each change with history, against the same without. */
export function measureChanges(uri: string, { rounds, fileCounts }: Settings): Promise<string[]> {
  return inDatabase(uri, {}, async (client, dbName) => {
    const stores = {
      with: new MongoMemoryStore({ client, dbName, memoriesCollection: "with", history: true }),
      without: new MongoMemoryStore({ client, dbName, memoriesCollection: "without" }),
    };
    const cases: Case[] = [];
    for (const fileCount of fileCounts) {
      const fixture = createFixture(fileCount);
      for (const [row, create] of Object.entries(changes)) {
        const createSide = async (side: "with" | "without"): Promise<Call> => {
          const memory = await createMemory(stores[side], fixture);
          return create(memory.with({ actor }), fixture);
        };
        const [ours, theirs] = [await createSide("with"), await createSide("without")];
        cases.push({ row, column: `${fileCount} files`, ours, theirs, iterations, atMost: goal });
      }
    }
    // Every sixtieth change moves versions, which a median would not show.
    return resultTable("change", await measureCases(cases, { rounds, statistic: "mean" }));
  });
}
