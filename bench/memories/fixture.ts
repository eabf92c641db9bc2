import { randomUUID } from "node:crypto";
import type { Memory, MongoMemoryStore } from "../../src/index.js";

/** Files of 500 bytes, spread evenly over the root and ten directories. */
export interface Fixture {
  paths: string[];
}

const directoryCount = 10;
const fileBytes = 500;
const words = ["alpha", "omega"] as const;

/** 32 bytes. */
export const addition = "a note of thirty-two bytes here.";

export const text = `${words[0]} `.padEnd(fileBytes, "lorem ipsum dolor sit amet ");

export function createFixture(fileCount: number): Fixture {
  const paths = Array.from({ length: fileCount }, (_, index) => {
    const directory = index % (directoryCount + 1);
    return directory === 0 ? `/file-${index}` : `/dir-${directory}/file-${index}`;
  });
  return { paths };
}

/** Creates a memory with these files. */
export async function createMemory(store: MongoMemoryStore, { paths }: Fixture): Promise<Memory> {
  const memory = store.memory({ nodeId: randomUUID() });
  await Promise.all(paths.map((path) => memory.write(path, text)));
  return memory;
}

/** The file of an iteration, and the word to replace: the two words take turns, so each update finds one. */
export function pickFile({ paths }: Fixture, iteration: number) {
  const path = paths[iteration % paths.length] ?? "";
  const visit = Math.floor(iteration / paths.length);
  const [oldWord, newWord] = visit % 2 === 0 ? words : [words[1], words[0]];
  return { path, oldWord, newWord };
}
