import type { Memory } from "../../src/index.js";

export type PagedCall = [title: string, run: (memory: Memory) => Promise<unknown>];

/** Calls of a memory with the files of `createFiles(60)`, of which `/d03/f3` lies in a page of the middle. */
export const pagedReads: readonly PagedCall[] = [
  ["read", (memory) => memory.read("/d03/f3")],
  ["stat of a file", (memory) => memory.stat("/d03/f3")],
  ["list of a directory", (memory) => memory.list("/d03")],
  ["stat of a directory", (memory) => memory.stat("/d03")],
  ["snapshot", (memory) => memory.snapshot()],
];

/** Changes that need not read first. */
export const pagedChanges: readonly PagedCall[] = [
  ["append", (memory) => memory.append("/d03/f3", "more")],
  ["append that creates", (memory) => memory.append("/d03/f3 new", "text")],
  ["update", (memory) => memory.update("/d03/f3", "words", "others")],
  ["write", (memory) => memory.write("/d03/f3", "text")],
  ["write of a new file", (memory) => memory.write("/d03/f3 new", "text")],
  ["write with new parents", (memory) => memory.write("/d03/f3 new/a/b", "text")],
  ["delete of a file", (memory) => memory.delete("/d03/f3")],
  ["delete of nothing", (memory) => memory.delete("/d03/f3 none")],
];

export const loadingChanges: readonly PagedCall[] = [
  ["edit", (memory) => memory.edit("/d03/f3", (text) => `${text}!`)],
  ["rename within a page", (memory) => memory.rename("/d03/f3", "/d03/f3 moved")],
];

/** Changes of several pages. */
export const largeChanges: readonly PagedCall[] = [
  ["rename of a file to another page", (memory) => memory.rename("/d03/f3", "/z")],
  ["rename of a directory", (memory) => memory.rename("/d03", "/z")],
  ["delete of a directory", (memory) => memory.delete("/d03")],
  ["delete of everything", (memory) => memory.delete("/")],
];
