import { join } from "node:path";
import { type Chat, type Dialogue, readJson } from "../measuring/retrieval-data.js";

/** A memory with questions about it. */
export interface BenchMemory {
  files: { path: string; content: string }[];
  questions: { question: string; evidence: { path: string; source: string }[] }[];
  /** The turns or messages that lines of a file come from. */
  findSources: (path: string, firstLine: number, lastLine: number) => string[];
}

export interface DataSet {
  name: string;
  /** What is counted: the passages with evidence, or the files. */
  per: readonly ("passage" | "file")[];
  memories: BenchMemory[];
}

interface SourceFile {
  path: string;
  lines: { text: string; source: string | null }[];
}

export async function readDataSets(folder: string): Promise<DataSet[]> {
  const dialogues = (await readJson(join(folder, "locomo/locomo.json"))) as Dialogue[];
  const chats = (await readJson(join(folder, "beam/beam-100k.json.gz"))) as Chat[];
  return [
    { name: "LoCoMo", per: ["passage", "file"], memories: dialogues.map((each) => toMemory(sessionFiles(each), each)) },
    { name: "BEAM, messages", per: ["file"], memories: chats.map((each) => toMemory(messageFiles(each), each)) },
    {
      name: "BEAM, exchanges",
      per: ["passage", "file"],
      memories: chats.map((each) => toMemory(exchangeFiles(each), each)),
    },
  ];
}

/** One file a session, one line a turn, after a line with the date. */
function sessionFiles({ sessions }: Dialogue): SourceFile[] {
  return sessions.map(({ session, date, turns }) => ({
    path: `/sessions/session_${session}`,
    lines: [
      { text: date, source: null },
      ...turns.map(({ id, speaker, text, caption }) => ({
        text: joinLines(`${speaker}: ${text}${caption === undefined ? "" : ` [${caption}]`}`),
        source: id,
      })),
    ],
  }));
}

/** One file a message, with its own lines. */
function messageFiles({ exchanges }: Chat): SourceFile[] {
  return exchanges.flatMap(({ messages }) =>
    messages.map(({ id, text }) => ({
      path: `/messages/message_${id}`,
      lines: text.split("\n").map((line) => ({ text: line, source: `${id}` })),
    })),
  );
}

/** One file an exchange, one line a message, after a line with the date. */
function exchangeFiles({ exchanges }: Chat): SourceFile[] {
  return exchanges.map(({ batch, exchange, date, messages }) => ({
    path: `/exchanges/exchange_${exchange}_${batch}`,
    lines: [
      { text: date, source: null },
      ...messages.map(({ id, role, text }) => ({ text: joinLines(`${role}: ${text}`), source: `${id}` })),
    ],
  }));
}

function joinLines(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, " ");
}

function toMemory(
  files: readonly SourceFile[],
  { questions }: { questions: readonly { question: string; evidence: readonly (string | number)[] }[] },
): BenchMemory {
  const linesOf = new Map(files.map(({ path, lines }) => [path, lines]));
  const pathOf = new Map(files.flatMap(({ path, lines }) => lines.map(({ source }) => [source, path] as const)));
  const known = questions.map(({ question, evidence }) => ({
    question,
    evidence: evidence.flatMap((id) => {
      const path = pathOf.get(`${id}`);
      return path === undefined ? [] : [{ path, source: `${id}` }];
    }),
  }));
  return {
    files: files.map(({ path, lines }) => ({ path, content: lines.map(({ text }) => text).join("\n") })),
    questions: known.filter(({ evidence }) => evidence.length > 0),
    findSources: (path, firstLine, lastLine) =>
      (linesOf.get(path) ?? []).slice(firstLine - 1, lastLine).flatMap(({ source }) => source ?? []),
  };
}
