import { createUnlimitedCall } from "../../src/core/runtime/call.js";
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { runInTurns } from "../../src/core/runtime/turns.js";
import type { Hit } from "../../src/core/search/best-hits.js";
import type { Vector } from "../../src/core/contract/embeddings.js";
import { fuse, rankBySimilarity } from "../../src/core/search/fusion.js";
import { indexTexts, type MemoryIndex, Place } from "../../src/core/search/memory-index.js";
import { splitPassages } from "../../src/core/search/passages.js";
import { rank } from "../../src/core/search/rank.js";
import { fusedRanks } from "../../src/core/search/search-texts.js";
import { englishWords } from "../../src/core/search/words.js";
import { packVector, VectorScorer } from "../../src/mongodb/embeddings/vectors.js";
import { type BenchMemory, type DataSet, readDataSets } from "./data-sets.js";

/*
 * How much of what answers a question is among the first ten hits. The data stay outside of the project, as their
 * licences ask for it: their folder is the first argument.
 */

type Per = "passage" | "file";
type Rank = (question: string, per: Per) => Promise<Hit[]>;

interface Vectors {
  byText: ReadonlyMap<string, Vector>;
  findQuery: (question: string) => number[];
}

const limit = 10;
const [folder, program, ...programArguments] = process.argv.slice(2);
if (folder === undefined)
  throw new Error(
    "name the folder with locomo/locomo.json and beam/beam-100k.json.gz, and the program that makes vectors, if there is one: npx tsx bench/search/recall.ts <folder> [program] [arguments]",
  );
for (const dataSet of await readDataSets(folder)) {
  const vectors = program === undefined ? null : await embed(program, programArguments, dataSet.memories);
  const recalls = new Map<string, number[]>();
  const note = (name: string, values: readonly number[]): unknown =>
    recalls.set(name, [...(recalls.get(name) ?? []), ...values]);
  for (const memory of dataSet.memories) {
    const index = await runInTurns(indexTexts(memory.files, englishWords, null), createUnlimitedCall());
    for (const [way, rankBy] of getWays(index, vectors))
      for (const per of dataSet.per) note(`${dataSet.name} by ${per}, ${way}`, await recall(memory, per, rankBy));
    if (dataSet.per.includes("passage")) note(`${dataSet.name}, a word on one line`, await findSingleWords(index));
  }
  for (const [name, values] of recalls)
    console.log(`${name}: ${(values.reduce((sum, each) => sum + each, 0) / values.length).toFixed(3)}`);
}

/** For each question the share of its evidence among the first passages, or of the files of its evidence. */
async function recall({ questions, findSources }: BenchMemory, per: Per, rankBy: Rank): Promise<number[]> {
  const recalls: number[] = [];
  for (const { question, evidence } of questions) {
    const found = new Set(
      (await rankBy(question, per)).flatMap(({ file, passage }) => {
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
async function findSingleWords(index: MemoryIndex): Promise<number[]> {
  const found: number[] = [];
  for (const [word, positions] of index.postings) {
    const place = new Place(index);
    place.moveTo(positions[0] ?? 0);
    if (new Set(positions).size > 1 || place.number === 0) continue;
    const [best] = await runInTurns(
      rank(index, [word], { path: "/", limit: 1, per: "passage" }),
      createUnlimitedCall(),
    );
    found.push(best?.file === place.file && best?.passage === place.number ? 1 : 0);
  }
  return found;
}

/** The rankings that `memory.search` makes: by words without embeddings, and by both with them; and by meaning alone. */
function getWays(index: MemoryIndex, vectors: Vectors | null): [string, Rank][] {
  const byWords = (question: string, per: Per, ranks: number): Promise<Hit[]> =>
    runInTurns(rank(index, englishWords(question), { path: "/", per, limit: ranks }), createUnlimitedCall());
  const words: [string, Rank] = ["words", (question, per) => byWords(question, per, limit)];
  if (vectors === null) return [words];
  const byMeaning = (question: string, per: Per, ranks: number): Promise<Hit[]> => {
    const scorer = new VectorScorer(vectors.findQuery(question));
    const known = { byText: vectors.byText, isComplete: true, bytes: 0 };
    const getSimilarity = (vector: Vector): number => scorer.score(vector) ?? 0;
    return runInTurns(
      rankBySimilarity(index, known, getSimilarity, { path: "/", per, limit: ranks }),
      createUnlimitedCall(),
    );
  };
  return [
    words,
    ["meaning", (question, per) => byMeaning(question, per, limit)],
    [
      "both",
      async (question, per) =>
        fuse(await byWords(question, per, fusedRanks), await byMeaning(question, per, fusedRanks), { limit, per }),
    ],
  ];
}

/** The program gets a text in JSON on each line, and answers a vector on each line. */
async function embed(
  command: string,
  commandArguments: readonly string[],
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
  return { byText, findQuery: (question) => numbers.get(question) ?? [] };
}
