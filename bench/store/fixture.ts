import type { Collection, Document } from "mongodb";

/** An item as every side is given it. */
export interface BenchItem {
  namespace: string[];
  key: string;
  value: { text: string; kind: string; count: number; tags: string[] };
}

const namespaceCount = 1_000;
const kinds = 10;
const syllables = ["ba", "de", "fi", "go", "ku", "la", "me", "ni", "ro", "su", "ta", "vo"];

/** 34 of 1,728 words, others for each item. */
function createText(index: number): string {
  return Array.from({ length: 34 }, (_, position) => createWord(index * 31 + position * 577)).join(" ");
}

function createWord(number: number): string {
  const { length } = syllables;
  return [number, Math.floor(number / length), Math.floor(number / length ** 2)]
    .map((digit) => syllables[digit % length])
    .join("");
}

/** About 300 bytes of BSON. One namespace in a thousand each, a tenth of them under each first label. */
export function createItem(index: number): BenchItem {
  const user = index % namespaceCount;
  const turn = Math.floor(index / namespaceCount);
  return {
    namespace: [`org${user % 10}`, `u${user}`, "mem"],
    key: `k${turn}`,
    value: { text: createText(index), kind: `kind ${turn % kinds}`, count: index, tags: ["a", "b"] },
  };
}

/** Is among no items that are loaded. */
export function createNewItem(iteration: number): BenchItem {
  const { namespace, value } = createItem(iteration);
  return { namespace, key: `new ${iteration}`, value };
}

export function createItems(count: number): BenchItem[] {
  return Array.from({ length: count }, (_, index) => createItem(index));
}

/** Spreads few iterations evenly over all items, so that no side finds its item always early or always late. */
export function pickItem(iteration: number, count: number): BenchItem {
  const goldenRatio = (Math.sqrt(5) - 1) / 2;
  return createItem(Math.floor((((iteration + 1) * goldenRatio) % 1) * count));
}

/** A hundred different items. */
export function pickHundred(iteration: number, count: number): BenchItem[] {
  return Array.from({ length: 100 }, (_, index) => pickItem(100 * iteration + index, count));
}

const separator = "\0";

/** As MongoMemoryStore stores it (its README, "Items"), for labels of ASCII. */
export function storeDocument({ namespace, key, value }: BenchItem, now: Date): Document {
  return { _id: toId(namespace, key), ns: namespace.join(separator), key, value, createdAt: now, updatedAt: now };
}

export function toId(namespace: readonly string[], key: string): string {
  return namespace.join(separator) + separator + separator + key;
}

/** The ids at or below a namespace. */
export function idsWithin(prefix: readonly string[]): { $gte: string; $lt: string } {
  const labels = prefix.join(separator);
  return { $gte: labels + separator, $lt: `${labels}\u0001` };
}

/** As the official store 1.4.1 stores it. */
export function officialDocument({ namespace, key, value }: BenchItem, now: Date): Document {
  return { namespace, namespaceStr: namespace.join("/"), key, value, updatedAt: now, createdAt: now };
}

export async function load(collection: Collection, documents: readonly Document[]): Promise<void> {
  const chunk = 5_000;
  for (let start = 0; start < documents.length; start += chunk)
    await collection.insertMany(documents.slice(start, start + chunk), { ordered: false });
}
