import { MongoMemoryStore } from "../measuring/built-package.js";
import { type Case, measureCases } from "../measuring/measure.js";
import { tableHead, toRow } from "../measuring/report.js";
import { inDatabase } from "../measuring/servers.js";
import type { Settings } from "../measuring/settings.js";
import { createDocument, createFixture } from "./fixture.js";

export const writers = 16;
const appendsEach = 10;

/**
 * Appends a second of several writers at once, each to files of its own, with the default write concern: all into one
 * memory, and a memory for each writer.
 */
export function measureContention(uri: string, { rounds, fileCounts }: Settings): Promise<string[]> {
  return inDatabase(uri, {}, async (client, dbName) => {
    const store = new MongoMemoryStore({ client, dbName });
    await store.start();
    const stored = client.db(dbName).collection("memories");
    const cases = fileCounts.map((fileCount): Case => {
      const { paths } = createFixture(fileCount);
      const documents = Array.from({ length: writers }, () => createDocument({ paths }));
      const appendAll = (pickMemory: (writer: number) => number) =>
        Promise.all(
          documents.map(async (_, writer) => {
            const memory = store.memory({ nodeId: documents[pickMemory(writer)]?.nodeId ?? "" });
            for (let turn = 0; turn < appendsEach; turn += 1)
              await memory.append(paths[(writer + turn * writers) % fileCount] ?? "", "x");
          }),
        );
      return {
        row: String(fileCount),
        column: "",
        ours: () => appendAll(() => 0),
        theirs: () => appendAll((writer) => writer),
        iterations: 2,
        prepare: async () => {
          await stored.deleteMany({ nodeId: { $in: documents.map(({ nodeId }) => nodeId) } });
          await stored.insertMany(documents.map((document) => ({ ...document })));
        },
      };
    });
    const toRate = (milliseconds: number): string => ((writers * appendsEach * 1_000) / milliseconds).toFixed(0);
    return [
      ...tableHead(["files in each memory (500 bytes each)", "into one memory", "into a memory for each writer"]),
      ...(await measureCases(cases, { rounds })).map(({ row, oursMs, theirsMs }) =>
        toRow([row, toRate(oursMs), toRate(theirsMs)]),
      ),
    ];
  });
}
