import { createRandom } from "../measuring/random.js";

const vocabulary = Array.from({ length: 5000 }, (_, index) => `w${index.toString(36)}ord`);
const random = createRandom(1);

/** Rare words and common ones, as in any text. */
function pickWord(): string {
  return vocabulary[Math.floor(random() ** 3 * vocabulary.length)] ?? "";
}

export const createWords = (count: number): string => Array.from({ length: count }, pickWord).join(" ");

/** Five passages of 16 words: each line is an entry of a list. */
export const createText = (): string => Array.from({ length: 5 }, () => `- ${createWords(16)}`).join("\n");
