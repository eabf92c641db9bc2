import { randomUUID } from "node:crypto";

/** What both sides work on: files of 500 bytes, spread evenly over the root and ten directories. */
export interface Fixture {
  paths: string[];
}

/** What a store keeps of a memory. */
export type MemoryDocument = ReturnType<typeof createDocument>;

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

/** The document of a memory with these files, as the memory itself would have written it. */
export function createDocument({ paths }: Fixture, now = new Date()) {
  const keys = paths.map(toKey);
  const directories = keys.flatMap((key) => key.split(".").slice(0, -1));
  return {
    nodeId: randomUUID() as string,
    scope: "global" as const,
    data: Object.fromEntries(keys.map((key) => [key, text])),
    dirs: Object.fromEntries(directories.map((key) => [key, true])),
    meta: Object.fromEntries(keys.map((key) => [key, { createdAt: now, updatedAt: now }])),
    revision: paths.length,
    createdAt: now,
    updatedAt: now,
  };
}

const toKey = (path: string): string => path.slice(1).replaceAll("/", ".");

/** The file of an iteration, and the word to replace: the two words take turns, so each update finds one. */
export function pickFile({ paths }: Fixture, iteration: number) {
  const path = paths[iteration % paths.length] ?? "";
  const visit = Math.floor(iteration / paths.length);
  const [oldWord, newWord] = visit % 2 === 0 ? words : [words[1], words[0]];
  return { path, key: toKey(path), oldWord, newWord };
}
