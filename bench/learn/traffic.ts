import { countLearnTraffic, type LearnTraffic } from "../../__tests__/helpers/learn-traffic.js";
import { learn, MongoMemoryStore } from "../measuring/built-package.js";
import { tableHead, toRow, toShort } from "../measuring/report.js";
import { inDatabase } from "../measuring/servers.js";

/** What a run with twenty new versions sends and receives, in memories of so many files, against the smallest. */
export async function measureTraffic(uri: string, fileCounts: readonly number[]): Promise<string[]> {
  const found: LearnTraffic[] = [];
  for (const files of fileCounts)
    found.push(
      await inDatabase(uri, {}, (_, dbName) => countLearnTraffic({ MongoMemoryStore, learn }, { uri, dbName, files })),
    );
  const [first] = found;
  const describe = (name: "commands" | "bytes"): string[] =>
    found.map((each) => `${toShort(each[name] / (first?.[name] ?? Number.NaN))} (${each[name]})`);
  return [
    ...tableHead(["", ...fileCounts.map((files) => `${files} files`)]),
    toRow(["commands", ...describe("commands")]),
    toRow(["bytes", ...describe("bytes")]),
  ];
}
