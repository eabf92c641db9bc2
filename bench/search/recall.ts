import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import type { Vector } from "../../src/core/contract/backend.js";
import { createUnlimitedCall } from "../../src/core/runtime/call.js";
import { runInTimeSlices } from "../../src/core/runtime/time-slices.js";
import type { Hit } from "../../src/core/search/best-hits.js";
import { fuse, rankBySimilarity } from "../../src/core/search/fusion.js";
import { type IndexedFile, indexTexts, type WordIndex } from "../../src/core/search/word-index.js";
import { splitPassages } from "../../src/core/search/passages.js";
import { readQuery } from "../../src/core/search/query-words.js";
import { rank } from "../../src/core/search/rank.js";
import { fusedRanks } from "../../src/core/search/search-texts.js";
import { englishWords } from "../../src/core/search/words.js";
import { packVector, VectorScorer } from "../../src/mongodb/embeddings/vectors.js";
import { tableHead, toRow } from "../measuring/report.js";
import { type BenchMemory, type DataSet, readDataSets } from "./data-sets.js";

type Per = "passage" | "file";
type Rank = (question: string, per: Per) => Promise<Hit[]>;

interface Vectors {
  byText: ReadonlyMap<string, Vector>;
  getQuery: (question: string) => number[];
}

const limit = 10;

/**
 * How much of what answers a question is among the first ten hits. It uses the parts of the search, because a memory
 * answers by one ranking alone. @param folder the data sets, which stay outside of the project, as their licences ask
 */
export async function measureRecall(folder: string, embed: readonly string[]): Promise<string[]> {
  const shares = new Map<string, number[]>();
  const note = (name: string, values: readonly number[]): unknown =>
    shares.set(name, [...(shares.get(name) ?? []), ...values]);
  for (const { name, memories, per } of await readDataSets(folder)) {
    const vectors = embed.length === 0 ? null : await readVectors(embed, memories);
    for (const memory of memories) {
      const index = await createIndex(memory);
      for (const [way, rankBy] of createRankings(index, vectors))
        for (const each of per) note(`${name} by ${each}, ${way}`, await measureQuestions(memory, each, rankBy));
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
  return runInTimeSlices(indexTexts(files, englishWords, null), createUnlimitedCall());
}

/** For each question the share of its evidence among the first passages, or of the files of its evidence. */
async function measureQuestions({ questions, findSources }: BenchMemory, per: Per, rankBy: Rank): Promise<number[]> {
  const recalls: number[] = [];
  for (const { question, evidence } of questions) {
    const hits = await rankBy(question, per);
    const found = new Set(
      hits.flatMap(({ file, passage }) => {
        const { firstLine = 0, lastLine = 0 } = file.passages.at(passage) ?? {};
        return per === "file" ? [file.path] : findSources(file.path, firstLine, lastLine);
      }),
    );
    const wanted = new Set(evidence.map(({ path, source }) => (per === "file" ? path : source)));
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

/** What `memory.search` makes, by words without embeddings, and by both with them; and the ranking by meaning alone. */
function createRankings(index: WordIndex, vectors: Vectors | null): [string, Rank][] {
  const byWords = (question: string, per: Per, ranks: number): Promise<Hit[]> =>
    runInTimeSlices(
      rank(index, readQuery(englishWords, question), { path: "/", per, limit: ranks }),
      createUnlimitedCall(),
    );
  const words: [string, Rank] = ["words", (question, per) => byWords(question, per, limit)];
  if (vectors === null) return [words];
  const byMeaning = (question: string, per: Per, ranks: number): Promise<Hit[]> => {
    const scorer = new VectorScorer(vectors.getQuery(question));
    const known = { byText: vectors.byText, isComplete: true, bytes: 0 };
    const score = (vector: Vector): number => scorer.score(vector) ?? 0;
    const ranked = rankBySimilarity(index, known, score, { path: "/", per, limit: ranks });
    return runInTimeSlices(ranked, createUnlimitedCall());
  };
  const byBoth: Rank = async (question, per) =>
    fuse(await byWords(question, per, fusedRanks), await byMeaning(question, per, fusedRanks), { limit, per });
  return [words, ["meaning", (question, per) => byMeaning(question, per, limit)], ["both", byBoth]];
}

/** The program gets a text in JSON on each line, and answers a vector on each line. */
async function readVectors(
  [command = "", ...commandArguments]: readonly string[],
  memories: DataSet["memories"],
): Promise<Vectors> {
  const passages = memories.flatMap(({ files }) =>
    files.flatMap(({ content }) => Array.from(splitPassages(content), ({ start, end }) => content.slice(start, end))),
  );
  const questions = memories.flatMap((memory) => memory.questions.map(({ question }) => question));
  const texts = [...new Set([...passages, ...questions])];
  const process = spawn(command, commandArguments, { stdio: ["pipe", "pipe", "inherit"] });
  process.stdin.end(texts.map((each) => `${JSON.stringify(each)}\n`).join(""));
  const lines = (await text(process.stdout)).trimEnd().split("\n");
  if (lines.length !== texts.length)
    throw new Error(`${command} answered ${lines.length} vectors for ${texts.length} texts`);
  const numbers = new Map(texts.map((each, index) => [each, JSON.parse(lines[index] ?? "[]") as number[]]));
  const byText = new Map(Array.from(numbers, ([each, vector]) => [each, packVector(Float32Array.from(vector))]));
  return { byText, getQuery: (question) => numbers.get(question) ?? [] };
}
