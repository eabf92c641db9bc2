import { randomUUID } from "node:crypto";

/** What both sides work on: `fileCount` files of 500 bytes, spread evenly over the root and ten directories. */
export interface Fixture {
  paths: string[];
  fileCount: number;
}

const directoryCount = 10;
const fileBytes = 500;

export const words = ["alpha", "omega"] as const;

/** 32 bytes. */
export const addition = "a note of thirty-two bytes here.";

export const text = `${words[0]} `.padEnd(fileBytes, "lorem ipsum dolor sit amet ");

export function fixtureOf(fileCount: number): Fixture {
  const paths = Array.from({ length: fileCount }, (_, index) => {
    const directory = index % (directoryCount + 1);
    return directory === 0 ? `/file-${index}` : `/dir-${directory}/file-${index}`;
  });
  return { paths, fileCount };
}

/** The document of a memory with these files, as the memory itself would have written it. */
export function documentOf({ paths }: Fixture, now: Date) {
  const keys = paths.map(keyOf);
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

export type BenchDocument = ReturnType<typeof documentOf>;

export function keyOf(path: string): string {
  return path.slice(1).replaceAll("/", ".");
}

/** The file of an iteration, and the word to replace: the two words take turns, so each update finds one. */
export function turnOf({ paths, fileCount }: Fixture, iteration: number) {
  const path = paths[iteration % fileCount] ?? "";
  const visit = Math.floor(iteration / fileCount);
  const [oldWord, newWord] = visit % 2 === 0 ? words : [words[1], words[0]];
  return { path, key: keyOf(path), oldWord, newWord };
}
