import type { Memory } from "../../src/index.js";
import type { Conversation, Question } from "../measuring/conversations.js";

/** Returns the texts that a ranking puts first. */
export type Ranking = (question: Question) => Promise<string[]>;

/** What people build without a package, and the package's own search, each without any mark. */
export async function createRankings(
  memory: Memory,
  conversation: Conversation,
  hasRanks: boolean,
): Promise<Record<string, Ranking>> {
  const { files } = await memory.snapshot();
  const lines = files.flatMap(({ content }) =>
    content.split("\n").filter((line) => /^(?:User|Assistant|  )/.test(line)),
  );
  const rankByWords = createBm25(lines);
  const texts = new Map(conversation.parts.flatMap(({ messages }) => messages.map(({ id, text }) => [id, text])));
  return {
    "newest lines that fit": async () => lines.toReversed(),
    "BM25 of lines, best first": async ({ text }) => rankByWords(text),
    ...(hasRanks && {
      "vectors of messages, best first": async ({ bySimilarity }) => bySimilarity.map((id) => texts.get(id) ?? ""),
    }),
    "passages of `search`, best first": rankBySearch(memory),
  };
}

/** Ranks the passages of a memory by its own search. */
export function rankBySearch(memory: Memory): Ranking {
  return async ({ text }) => (await memory.search(text, { limit: 1000 })).map((hit) => hit.text);
}

/** Takes texts until the next one does not fit. */
export function takeFirst(texts: readonly string[], maxChars: number): string {
  let chars = 0;
  const taken = texts.slice(
    0,
    texts.findIndex((text) => (chars += text.length + 1) > maxChars),
  );
  return (chars > maxChars ? taken : texts).join("\n");
}

/** BM25 with the usual numbers, k1 1.2 and b .75. */
function createBm25(lines: readonly string[]): (question: string) => string[] {
  const words = lines.map(splitWords);
  const mean = words.reduce((sum, { length }) => sum + length, 0) / lines.length;
  const frequency = new Map<string, number>();
  for (const own of words) for (const word of new Set(own)) frequency.set(word, (frequency.get(word) ?? 0) + 1);
  return (question) => {
    const queried = [...new Set(splitWords(question))];
    const score = (own: readonly string[]): number =>
      queried.reduce((sum, word) => {
        const count = own.filter((each) => each === word).length;
        const seen = frequency.get(word) ?? 0;
        const rarity = Math.log(1 + (lines.length - seen + 0.5) / (seen + 0.5));
        return sum + (rarity * count * 2.2) / (count + 1.2 * (0.25 + (0.75 * own.length) / mean));
      }, 0);
    return lines
      .map((line, index) => ({ line, score: score(words[index] ?? []) }))
      .filter((each) => each.score > 0)
      .toSorted((a, b) => b.score - a.score)
      .map(({ line }) => line);
  };
}

function splitWords(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
