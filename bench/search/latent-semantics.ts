import { text } from "node:stream/consumers";
import { englishWords } from "../../src/core/search/words.js";

/**
 * A stand-in for a model of embeddings, which needs no download: latent semantic analysis (Deerwester et al., JASIS
 * 1990) of the very texts that it is given. It knows which words go together in them, and nothing of the world. A text
 * in JSON on each line of the standard input; a vector on each line of the output.
 */
const dims = 128;
const passes = 6;

const texts = (await text(process.stdin))
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => JSON.parse(line) as string);
const numbers = new Map<string, number>();
const documents = texts.map((each) => {
  const counts = new Map<number, number>();
  for (const word of englishWords(each)) {
    const number = numbers.get(word) ?? numbers.size;
    numbers.set(word, number);
    counts.set(number, (counts.get(number) ?? 0) + 1);
  }
  return counts;
});
const documentsWith = new Float64Array(numbers.size);
for (const counts of documents) for (const word of counts.keys()) documentsWith[word] = (documentsWith[word] ?? 0) + 1;
/** Each text as its words with their weights, of length 1. */
const rows = documents.map((counts) => {
  const row = Array.from(counts, ([word, count]) => ({
    word,
    weight: (1 + Math.log(count)) * Math.log(texts.length / (documentsWith[word] ?? 1)),
  }));
  const length = Math.sqrt(row.reduce((sum, { weight }) => sum + weight * weight, 0)) || 1;
  return row.map(({ word, weight }) => ({ word, weight: weight / length }));
});

let seed = 1;
const someNumber = (): number => {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
  return seed / 2_147_483_648 - 0.5;
};

/**
 * The largest singular vectors of all texts, by words: a random basis, multiplied by the texts and made orthogonal
 * again and again.
 */
let basis: Float64Array[] = Array.from({ length: dims }, () => Float64Array.from({ length: numbers.size }, someNumber));
for (let pass = 0; pass < passes; pass += 1) {
  basis = orthogonal(
    basis.map((axis) => {
      const next = new Float64Array(axis.length);
      for (const row of rows) {
        const share = along(row, axis);
        for (const { word, weight } of row) next[word] = (next[word] ?? 0) + share * weight;
      }
      return next;
    }),
  );
}
for (const row of rows) console.log(JSON.stringify(basis.map((axis) => along(row, axis))));

function along(row: readonly { word: number; weight: number }[], axis: Float64Array): number {
  return row.reduce((sum, { word, weight }) => sum + weight * (axis[word] ?? 0), 0);
}

function orthogonal(axes: readonly Float64Array[]): Float64Array[] {
  const done: Float64Array[] = [];
  for (const axis of axes) {
    const rest = Float64Array.from(axis);
    for (const other of done) {
      const share = dot(rest, other);
      for (let at = 0; at < rest.length; at += 1) rest[at] = (rest[at] ?? 0) - share * (other[at] ?? 0);
    }
    const length = Math.sqrt(dot(rest, rest)) || 1;
    done.push(rest.map((number) => number / length));
  }
  return done;
}

function dot(one: Float64Array, other: Float64Array): number {
  let sum = 0;
  for (let at = 0; at < one.length; at += 1) sum += (one[at] ?? 0) * (other[at] ?? 0);
  return sum;
}
