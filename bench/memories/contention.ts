import { MongoMemoryStore } from "../measuring/built-package.js";
import { type Case, measureCases } from "../measuring/measure.js";
import { tableHead, toRow } from "../measuring/report.js";
import { inDatabase } from "../measuring/servers.js";
import type { Settings } from "../measuring/settings.js";
import { createFixture, createMemory } from "./fixture.js";

export const writers = 16;
const appendsEach = 10;

/**
 * Appends a second of several writers at once, each to files of its own, with the default write concern: all into one
 * memory, and a memory for each writer.
 */
export function measureContention(uri: string, { rounds, fileCounts }: Settings): Promise<string[]> {
  return inDatabase(uri, {}, async (client, dbName) => {
    const store = new MongoMemoryStore({ client, dbName });
    const createCase = async (fileCount: number): Promise<Case> => {
      const fixture = createFixture(fileCount);
      const memories = await Promise.all(Array.from({ length: writers }, () => createMemory(store, fixture)));
      const appendAll = (pickMemory: (writer: number) => number) =>
        Promise.all(
          memories.map(async (_, writer) => {
            for (let turn = 0; turn < appendsEach; turn += 1)
              await memories[pickMemory(writer)]?.append(
                fixture.paths[(writer + turn * writers) % fileCount] ?? "",
                "x",
              );
          }),
        );
      return {
        row: String(fileCount),
        column: "",
        ours: () => appendAll(() => 0),
        theirs: () => appendAll((writer) => writer),
        iterations: 2,
      };
    };
    const cases: Case[] = [];
    for (const fileCount of fileCounts) cases.push(await createCase(fileCount));
    const toRate = (milliseconds: number): string => ((writers * appendsEach * 1_000) / milliseconds).toFixed(0);
    return [
      ...tableHead(["files in each memory (500 bytes each)", "into one memory", "into a memory for each writer"]),
      ...(await measureCases(cases, { rounds })).map(({ row, oursMs, theirsMs }) =>
        toRow([row, toRate(oursMs), toRate(theirsMs)]),
      ),
    ];
  });
}
