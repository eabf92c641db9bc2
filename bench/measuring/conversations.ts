import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";

/** A conversation of several days, with questions about it. */
export interface Conversation {
  parts: Part[];
  questions: Question[];
}

/** A session of a dialogue, or an exchange of a chat. */
interface Part {
  name: string;
  at: Date;
  /** The date as the data say it. */
  date: string;
  messages: Said[];
}

export interface Said {
  id: string;
  role: "user" | "assistant";
  name: string | undefined;
  text: string;
}

export interface Question {
  text: string;
  /** Ids of the messages that answer it. */
  evidence: string[];
  /** Ids of messages by their meaning, most similar first. Empty without given ranks. */
  bySimilarity: string[];
}

interface Dialogue {
  sessions: {
    session: number;
    date: string;
    turns: { id: string; speaker: string; text: string; caption?: string }[];
  }[];
  questions: { question: string; evidence: string[] }[];
}

interface Chat {
  exchanges: {
    batch: number;
    exchange: number;
    date: string;
    messages: { id: number; role: "user" | "assistant"; text: string }[];
  }[];
  questions: { question: string; evidence: number[] }[];
}

interface Ranks {
  ids: string[];
  /** For each question the most similar turns, by their place in `ids`. */
  order: number[][];
}

/**
 * Reads LoCoMo, reduced for retrieval: one turn is one message, and what its picture shows is a part of its text. A
 * folder need not have the ranks by meaning.
 */
export async function readLocomo(folder: string): Promise<Conversation[]> {
  const dialogues = (await readJson(join(folder, "locomo/locomo.json"))) as Dialogue[];
  const ranksPath = join(folder, "locomo/minilm-order.json.gz");
  const ranks = existsSync(ranksPath) ? ((await readJson(ranksPath)) as Ranks[]) : [];
  return dialogues.map(({ sessions, questions }, dialogue) => ({
    parts: sessions.map(({ session, date, turns }) => ({
      name: `session_${session}`,
      at: parseDate(date),
      date,
      messages: turns.map(({ id, speaker, text, caption }) => ({
        id,
        role: speaker === sessions[0]?.turns[0]?.speaker ? ("user" as const) : ("assistant" as const),
        name: speaker,
        text: caption === undefined ? text : `${text} [${caption}]`,
      })),
    })),
    questions: questions.map(({ question, evidence }, index) => ({
      text: question,
      evidence,
      bySimilarity: (ranks[dialogue]?.order[index] ?? []).map((place) => ranks[dialogue]?.ids[place] ?? ""),
    })),
  }));
}

/** Reads the chats of BEAM, reduced for retrieval. */
export async function readBeam(folder: string): Promise<Conversation[]> {
  const chats = (await readJson(join(folder, "beam/beam-100k.json.gz"))) as Chat[];
  return chats.map(({ exchanges, questions }) => {
    let at = new Date("2024-01-01T09:00Z");
    return {
      parts: exchanges.map(({ batch, exchange, date, messages }) => {
        if (date !== "") at = new Date(`${date.replaceAll("-", " ")} 09:00Z`);
        const said = messages.map(({ id, role, text }) => ({ id: `${id}`, role, name: undefined, text }));
        return { name: `exchange_${exchange}_${batch}`, at, date, messages: said };
      }),
      questions: questions
        .filter(({ evidence }) => evidence.length > 0)
        .map(({ question, evidence }) => ({ text: question, evidence: evidence.map(String), bySimilarity: [] })),
    };
  });
}

/** Reads a JSON file, which may be packed by gzip. */
async function readJson(path: string): Promise<unknown> {
  const bytes = await readFile(path);
  return JSON.parse((path.endsWith(".gz") ? await promisify(gunzip)(bytes) : bytes).toString());
}

/** Reads `1:56 pm on 8 May, 2023`. */
function parseDate(text: string): Date {
  const [, time = "", day = ""] = /^(.*) on (.*)$/.exec(text) ?? [];
  return new Date(`${day.replace(",", "")} ${time} UTC`);
}
