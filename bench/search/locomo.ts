import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import type { Ranked } from "../../src/core/search/best-passages.js";
import { fuse, rankByMeaning } from "../../src/core/search/fused-ranking.js";
import { placeOf } from "../../src/core/search/indexed-file.js";
import type { Vector } from "../../src/core/search/meaning.js";
import { indexTexts, type MemoryIndex } from "../../src/core/search/memory-index.js";
import { passagesOf } from "../../src/core/search/passages.js";
import { rank, soughtIn } from "../../src/core/search/ranking.js";
import { fusedRanks } from "../../src/core/search/search-texts.js";
import { englishWords } from "../../src/core/search/words.js";
import { packVector, VectorScorer } from "../../src/mongodb/embeddings/vectors.js";

/** LoCoMo, reduced for retrieval. The data may not be used commercially, so it stays outside of the project. */
interface Dialogue {
  sessions: {
    session: number;
    date: string;
    turns: { id: string; speaker: string; text: string; caption?: string }[];
  }[];
  questions: { question: string; evidence: string[] }[];
}

/** A dialogue as a memory: one file a session, one line a turn, after a line with the date. */
interface Texts {
  files: { path: string; content: string }[];
  questions: { question: string; wanted: { file: string; line: number }[] }[];
}

type Way = "words" | "meaning" | "both";
type Rank = (question: string, per: "passage" | "file") => Ranked[];

const limit = 10;
const [path, program, ...programArguments] = process.argv.slice(2);
if (path === undefined)
  throw new Error(
    "tell the path of the data, and the program that makes vectors, if there is one: npx tsx bench/search/locomo.ts <locomo.json> [program] [arguments]",
  );
const dialogues = (JSON.parse(await readFile(path, "utf8")) as Dialogue[]).map(textsOf);
const vectors = program === undefined ? null : await vectorsBy(program, programArguments, dialogues);
const recalls = new Map<Way, { turns: number; sessions: number }[]>();
for (const dialogue of dialogues) {
  const index = await indexTexts(dialogue.files, englishWords, null, () => undefined);
  for (const [way, rankPassages] of waysOf(index)) {
    const found = dialogue.questions.map(({ question, wanted }) =>
      recallOf(wanted, rankPassages(question, "passage"), rankPassages(question, "file")),
    );
    recalls.set(way, [...(recalls.get(way) ?? []), ...found]);
  }
}
for (const [way, each] of recalls) {
  const mean = (of: (recall: { turns: number; sessions: number }) => number): string =>
    (each.reduce((sum, recall) => sum + of(recall), 0) / each.length).toFixed(3);
  console.log(
    `${each.length} questions by ${way}: turn recall at ${limit} is ${mean(({ turns }) => turns)}, session recall at ${limit} is ${mean(({ sessions }) => sessions)}`,
  );
}

function textsOf({ sessions, questions }: Dialogue): Texts {
  const placeOfTurn = new Map<string, { file: string; line: number }>();
  const files = sessions.map(({ session, date, turns }) => {
    const file = `/sessions/session_${session}`;
    const lines = turns.map(({ speaker, text: said, caption }) =>
      `${speaker}: ${said}${caption === undefined ? "" : ` [${caption}]`}`.replaceAll(/\s*\n\s*/g, " "),
    );
    turns.forEach(({ id }, turn) => placeOfTurn.set(id, { file, line: turn + 2 }));
    return { path: file, content: [date, ...lines].join("\n") };
  });
  const asked = questions.map(({ question, evidence }) => ({
    question,
    wanted: evidence.flatMap((id) => placeOfTurn.get(id) ?? []),
  }));
  return { files, questions: asked.filter(({ wanted }) => wanted.length > 0) };
}

/**
 * The rankings that `memory.search` makes: by words without embeddings, and by both with them; and by meaning alone.
 */
function waysOf(index: MemoryIndex): Map<Way, Rank> {
  const within = (per: "passage" | "file", ranks: number) => ({ path: "/", per, limit: ranks });
  const byWords = (question: string, per: "passage" | "file", ranks: number): Ranked[] =>
    rank(index, soughtIn(index, englishWords(question)), within(per, ranks));
  const ways = new Map<Way, Rank>([["words", (question, per) => byWords(question, per, limit)]]);
  if (vectors === null) return ways;
  const byMeaning = (question: string, per: "passage" | "file", ranks: number): Ranked[] => {
    const scorer = new VectorScorer(vectors.ofQuery(question));
    return rankByMeaning(
      index,
      { byText: vectors.byText, isComplete: true, bytes: 0 },
      (vector) => scorer.score(vector) ?? 0,
      within(per, ranks),
    );
  };
  ways.set("meaning", (question, per) => byMeaning(question, per, limit));
  return ways.set("both", (question, per) =>
    fuse(byWords(question, per, fusedRanks), byMeaning(question, per, fusedRanks), { limit, per }),
  );
}

/** Which part of what was wanted is among the first passages, and of its files among the first files. */
function recallOf(
  wanted: readonly { file: string; line: number }[],
  passages: readonly Ranked[],
  files: readonly Ranked[],
): { turns: number; sessions: number } {
  const isFound = ({ file, line }: { file: string; line: number }): boolean =>
    passages.some((ranked) => {
      const { firstLine, lastLine } = placeOf(ranked.file, ranked.passage);
      return ranked.file.path === file && firstLine <= line && line <= lastLine;
    });
  const wantedFiles = [...new Set(wanted.map(({ file }) => file))];
  const foundFiles = new Set(files.map(({ file }) => file.path));
  return {
    turns: wanted.filter(isFound).length / wanted.length,
    sessions: wantedFiles.filter((file) => foundFiles.has(file)).length / wantedFiles.length,
  };
}

/** The program gets a text in JSON on each line, and answers a vector on each line. */
async function vectorsBy(
  command: string,
  commandArguments: readonly string[],
  all: readonly Texts[],
): Promise<{ byText: ReadonlyMap<string, Vector>; ofQuery: (question: string) => number[] }> {
  const passages = all.flatMap(({ files }) =>
    files.flatMap(({ content }) => Array.from(passagesOf(content), ({ start, end }) => content.slice(start, end))),
  );
  const texts = [
    ...new Set([...passages, ...all.flatMap(({ questions }) => questions.map(({ question }) => question))]),
  ];
  const process = spawn(command, commandArguments, { stdio: ["pipe", "pipe", "inherit"] });
  process.stdin.end(texts.map((each) => `${JSON.stringify(each)}\n`).join(""));
  const lines = (await text(process.stdout)).trimEnd().split("\n");
  if (lines.length !== texts.length)
    throw new Error(`${command} answered ${lines.length} vectors for ${texts.length} texts`);
  const numbers = new Map(texts.map((each, index) => [each, JSON.parse(lines[index] ?? "[]") as number[]]));
  const byText = new Map(Array.from(numbers, ([each, vector]) => [each, packVector(Float32Array.from(vector))]));
  return { byText, ofQuery: (question) => numbers.get(question) ?? [] };
}
