import { parseArgs } from "node:util";
import { shownText } from "../../src/core/display/shown-text.js";
import type { Memory } from "../../src/index.js";
import { type Conversation, readBeam, readLocomo } from "../measuring/conversations.js";
import { tableHead, toRow } from "../measuring/report.js";
import { renderPrompt, writeConversation } from "./memory.js";
import { readNotes } from "./notes.js";
import { createRankings, type Ranking, rankBySearch, takeFirst } from "./rankings.js";

/*
 * How much of what answers a question stands in the prompt: docs/how-well-it-remembers.md. The data stays outside of the
 * project, as its licences ask.
 */

const budgets = [4000, 8000, 16_000];

const { values } = parseArgs({
  options: {
    /** The folder of LoCoMo and BEAM. `learn` and `notes` need no data. */
    data: { type: "string" },
    /** The rows whose name contains this text. */
    only: { type: "string", default: "" },
    /** Lets a real model learn, such as `openai:gpt-4.1-mini`, instead of those that make known mistakes. */
    model: { type: "string" },
  },
});

if ("learn".includes(values.only) || values.model !== undefined) {
  const { initChatModel } = await import("langchain");
  const { evaluateLearning } = await import("./learn.js");
  await evaluateLearning(values.model === undefined ? null : await initChatModel(values.model));
}

const notes = await readNotes();
await evaluate("Notes", [notes], holdsPart, async () => {
  const memory = await writeConversation({ parts: [], questions: [] }, false, notes.files);
  return {
    memories: { "words, of notes": memory },
    rankings: { "notes by `search`, best first": rankBySearch(memory) },
  };
});

if (values.data !== undefined) {
  await evaluate("LoCoMo", await readLocomo(values.data), holdsAll, openLogs);
  await evaluate("BEAM 100K", await readBeam(values.data), holdsPart, openLogs);
}

/** What is compared: memories that a connector shows, and texts in the order of a ranking. */
interface Compared {
  memories: Record<string, Memory>;
  rankings: Record<string, Ranking>;
}

async function openLogs(conversation: Conversation): Promise<Compared> {
  const hasRanks = conversation.questions.some(({ bySimilarity }) => bySimilarity.length > 0);
  const words = await writeConversation(conversation, false);
  return {
    memories: {
      words,
      ...(hasRanks && { "words and meaning": await writeConversation(conversation, true) }),
      "words, beside learnt files": await writeConversation(conversation, false, createLearnt(conversation, true)),
      "words, beside badly learnt files": await writeConversation(
        conversation,
        false,
        createLearnt(conversation, false),
      ),
    },
    rankings: await createRankings(words, conversation, hasRanks),
  };
}

/** Whether the text of a message stands in a prompt. */
type Holds = (prompt: string, text: string) => boolean;

async function evaluate(
  name: string,
  conversations: readonly Conversation[],
  holds: Holds,
  open: (conversation: Conversation) => Promise<Compared>,
): Promise<void> {
  const shares = new Map<string, number[][]>();
  const note = (row: string, budget: number, share: number): void => {
    const all = shares.get(row) ?? budgets.map(() => []);
    shares.set(row, all);
    all[budget]?.push(share);
  };
  for (const conversation of conversations) {
    const texts = new Map(
      conversation.parts.flatMap(({ messages }) => messages.map(({ id, text }) => [id, plain(text)])),
    );
    const measure = (prompt: string, evidence: readonly string[]): number =>
      evidence.filter((id) => holds(prompt, texts.get(id) ?? "")).length / evidence.length;
    const { memories, rankings } = await open(conversation);
    for (const [way, memory] of Object.entries(memories)) {
      const row = `**\`content: "auto"\`, by ${way}**`;
      if (!row.includes(values.only)) continue;
      for (const { text, evidence } of conversation.questions)
        for (const [budget, maxChars] of budgets.entries())
          note(row, budget, measure(plain(await renderPrompt(memory, text, maxChars)), evidence));
    }
    for (const [row, rank] of Object.entries(rankings)) {
      if (!row.includes(values.only)) continue;
      for (const question of conversation.questions) {
        const best = await rank(question);
        for (const [budget, maxChars] of budgets.entries())
          note(row, budget, measure(plain(takeFirst(best, maxChars)), question.evidence));
      }
    }
  }
  if (shares.size === 0) return;
  const rows = Array.from(shares, ([row, all]) => [row, ...all.map((each) => mean(each).toFixed(3))]);
  const [[, counts = []] = []] = shares;
  console.log(`\n${name}: ${counts[0]?.length ?? 0} questions\n`);
  console.log([...tableHead(["", ...budgets.map((chars) => `${chars} characters`)]), ...rows.map(toRow)].join("\n"));
}

function holdsAll(prompt: string, text: string): boolean {
  return prompt.includes(text);
}

/** Long messages count where 200 of their characters in a row stand. */
function holdsPart(prompt: string, text: string): boolean {
  const least = 200;
  for (let start = 0; start <= Math.max(0, text.length - least); start += 1)
    if (prompt.includes(text.slice(start, start + least))) return true;
  return false;
}

/**
 * Creates what a model could have learnt of a conversation: each fifth message, in a file for each speaker. @param
 * isRight with its date and all its words. If not, without the date and the second half of the words
 */
function createLearnt({ parts }: Conversation, isRight: boolean): Record<string, string> {
  const files: Record<string, string> = {};
  const messages = parts.flatMap(({ at, messages: said }) => said.map((message) => ({ at, ...message })));
  for (const { at, name, role, text } of messages.filter((_, index) => index % 5 === 0)) {
    const words = plain(text).split(" ");
    const learnt = isRight
      ? `${at.toISOString().slice(0, 10)}: ${words.join(" ")}`
      : words.slice(0, Math.ceil(words.length / 2)).join(" ");
    const path = `/profile/${(name ?? role).toLowerCase()}`;
    files[path] = `${files[path] ?? ""}- ${learnt}\n`;
  }
  return files;
}

/** Returns a text without the marks of a prompt and the speakers of its lines, and with single spaces. */
function plain(text: string): string {
  return shownText(text.replaceAll(/^(?:\d*\| )?(?:(?:User|Assistant): )?/gm, "").replaceAll("&lt;", "<"))
    .replaceAll(/\s+/g, " ")
    .trim();
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0) / numbers.length;
}
