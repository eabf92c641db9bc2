import { type Chat, type Dialogue, readJson } from "../measuring/retrieval-data.js";

/** A conversation of several days, with questions about it. */
export interface Conversation {
  parts: { at: Date; messages: Said[] }[];
  questions: Question[];
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

interface Ranks {
  ids: string[];
  /** For each question the most similar turns, by their place in `ids`. */
  order: number[][];
}

/** Reads LoCoMo, reduced for retrieval: one turn is one message, and what its picture shows is a part of its text. */
export async function readLocomo(path: string, ranksPath: string | undefined): Promise<Conversation[]> {
  const dialogues = (await readJson(path)) as Dialogue[];
  const ranks = ranksPath === undefined ? [] : ((await readJson(ranksPath)) as Ranks[]);
  return dialogues.map(({ sessions, questions }, dialogue) => ({
    parts: sessions.map(({ date, turns }) => ({
      at: parseDate(date),
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
export async function readBeam(path: string): Promise<Conversation[]> {
  const chats = (await readJson(path)) as Chat[];
  return chats.map(({ exchanges, questions }) => {
    let at = new Date("2024-01-01T09:00Z");
    return {
      parts: exchanges.map(({ date, messages }) => {
        if (date !== "") at = new Date(`${date.replaceAll("-", " ")} 09:00Z`);
        return { at, messages: messages.map(toSaid) };
      }),
      questions: questions
        .filter(({ evidence }) => evidence.length > 0)
        .map(({ question, evidence }) => ({ text: question, evidence: evidence.map(String), bySimilarity: [] })),
    };
  });
}

function toSaid({ id, role, text }: Chat["exchanges"][number]["messages"][number]): Said {
  return { id: String(id), role: role === "user" ? "user" : "assistant", name: undefined, text };
}

/** Reads `1:56 pm on 8 May, 2023`. */
function parseDate(text: string): Date {
  const [, time = "", day = ""] = /^(.*) on (.*)$/.exec(text) ?? [];
  return new Date(`${day.replace(",", "")} ${time} UTC`);
}
