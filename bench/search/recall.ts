import { createUnlimitedCall } from "../../src/core/runtime/call.js";
import { runInTimeSlices } from "../../src/core/runtime/time-slices.js";
import type { Hit } from "../../src/core/search/best-hits.js";
import { type IndexedFile, indexTexts, type WordIndex } from "../../src/core/search/word-index.js";
import { readQuery } from "../../src/core/search/query-words.js";
import { rank } from "../../src/core/search/rank.js";
import { englishWords } from "../../src/core/search/words.js";
import { tableHead, toRow } from "../measuring/report.js";
import { type BenchMemory, readDataSets } from "./data-sets.js";

type Per = "passage" | "file";

const limit = 10;

/**
 * How much of what answers a question is among the first ten hits. It uses the parts of the search, because a memory
 * answers by one ranking alone. @param folder the data sets, which stay outside of the project, as their licences ask
 */
export async function measureRecall(folder: string): Promise<string[]> {
  const shares = new Map<string, number[]>();
  const note = (name: string, values: readonly number[]): unknown =>
    shares.set(name, [...(shares.get(name) ?? []), ...values]);
  for (const { name, memories, per } of await readDataSets(folder)) {
    for (const memory of memories) {
      const index = await createIndex(memory);
      for (const each of per) note(`${name} by ${each}`, await measureQuestions(memory, index, each));
      if (per.includes("passage")) note(`${name}, a word on one line`, await measureSingleWords(index));
    }
  }
  return [
    ...tableHead(["", "recall at 10"]),
    ...Array.from(shares, ([name, all]) =>
      toRow([name, (all.reduce((sum, each) => sum + each, 0) / all.length).toFixed(3)]),
    ),
  ];
}

function createIndex({ files }: BenchMemory): Promise<WordIndex> {
  const texts = files.map(({ path, lines }) => ({ path, content: lines.map(({ text }) => text).join("\n") }));
  return runInTimeSlices(indexTexts(texts, englishWords, null), createUnlimitedCall());
}

/** For each question the share of its evidence among the first passages, or of the files of its evidence. */
async function measureQuestions({ files, questions }: BenchMemory, index: WordIndex, per: Per): Promise<number[]> {
  const linesByPath = new Map(files.map(({ path, lines }) => [path, lines]));
  const pathBySource = new Map(files.flatMap(({ path, lines }) => lines.map(({ source }) => [source, path])));
  const recalls: number[] = [];
  for (const { text, evidence } of questions) {
    const known = evidence.filter((id) => pathBySource.has(id));
    if (known.length === 0) continue;
    const ranked = rank(index, readQuery(englishWords, text), { path: "/", per, limit });
    const hits = await runInTimeSlices(ranked, createUnlimitedCall());
    const found = new Set(
      hits.flatMap(({ file, passage }) => {
        const { firstLine = 0, lastLine = 0 } = file.passages.at(passage) ?? {};
        if (per === "file") return file.path;
        return (
          linesByPath
            .get(file.path)
            ?.slice(firstLine - 1, lastLine)
            .flatMap(({ source }) => source ?? []) ?? []
        );
      }),
    );
    const wanted = new Set(per === "file" ? known.flatMap((id) => pathBySource.get(id) ?? []) : known);
    recalls.push(Array.from(wanted).filter((each) => found.has(each)).length / wanted.size);
  }
  return recalls;
}

/** For each word that is in one passage alone, and in no path: 1 if a search for it answers that passage first. */
async function measureSingleWords(index: WordIndex): Promise<number[]> {
  const found: number[] = [];
  for (const [word, { file, passage }] of listSingleWords(index)) {
    const ranked = rank(index, { words: [word], speakers: new Map() }, { path: "/", limit: 1, per: "passage" });
    const [best] = await runInTimeSlices(ranked, createUnlimitedCall());
    found.push(best?.file === file && best?.passage === passage ? 1 : 0);
  }
  return found;
}

/** Lists the words that are in one passage alone, and in no path, with that passage. */
function listSingleWords({ files, vocabulary }: WordIndex): Map<string, Pick<Hit, "file" | "passage">> {
  const places = new Map<string, { file: IndexedFile; passage: number } | null>();
  const inPaths = new Set(files.flatMap(({ passages, words }) => [...words.subarray(0, passages.get(1, "firstWord"))]));
  for (const file of files) {
    for (let passage = 1; passage < file.passages.length; passage += 1) {
      const { start = 0, end = 0 } = file.passages.at(passage) ?? {};
      for (const word of new Set(englishWords(file.content.slice(start, end))))
        places.set(word, places.has(word) ? null : { file, passage });
    }
  }
  const single = new Map<string, Pick<Hit, "file" | "passage">>();
  for (const [word, place] of places)
    if (place !== null && !inPaths.has(vocabulary.find(word) ?? -1)) single.set(word, place);
  return single;
}
