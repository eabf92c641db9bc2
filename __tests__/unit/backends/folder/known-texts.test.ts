import { afterEach, expect, jest, test } from "@jest/globals";
import { lstatSync, utimesSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { openDirectoryMemory } from "../../../../src/backends/directory/index.js";
import { createJournalTools } from "../../../../src/langchain/journal/index.js";
import { folderWith, testFolder } from "../../../helpers/test-folder.js";

const folder = testFolder();

afterEach(() => {
  jest.restoreAllMocks();
});

/** Counts the reads of files of this process. */
async function countedReads(): Promise<{ count: () => number }> {
  const handle = await open(import.meta.filename);
  const reads = jest.spyOn(Object.getPrototypeOf(handle) as typeof handle, "read");
  await handle.close();
  return { count: () => reads.mock.calls.length };
}

/** Makes what was changed a moment ago look as if it were an hour old. */
function anHourLater(): void {
  const nowMs = Date.now.bind(Date);
  jest.spyOn(Date, "now").mockImplementation(() => nowMs() + 3_600_000);
}

test("a file that has not changed is read once", async () => {
  const dir = folderWith(folder, { "a.md": "x1", "below/b.md": "x2", "c.md": "x3" });
  const memory = openDirectoryMemory({ dir });
  anHourLater();
  const reads = await countedReads();
  const first = await memory.grep("x");
  expect([first.length, reads.count()]).toEqual([3, 3]);
  expect(await memory.grep("x")).toEqual(first);
  expect((await memory.snapshot()).files.map(({ content }) => content)).toEqual(["x1", "x2", "x3"]);
  expect(reads.count()).toBe(3);
});

test("a second memory_read in an unchanged folder reads no file", async () => {
  const block = (key: string): string =>
    `### ${key}\n\nhappened\n\n<!-- agentool-memory: at=2026-01-01T00:00:00+00:00 -->\n\n`;
  const dir = folderWith(folder, { "2026-01-01.md": block("one"), "2026-01-02.md": block("two") });
  const [, , read] = createJournalTools(openDirectoryMemory({ dir }));
  anHourLater();
  const reads = await countedReads();
  expect(await read?.invoke({ key: "one" })).toContain("happened");
  expect(reads.count()).toBe(2);
  expect(await read?.invoke({ key: "two" })).toContain("happened");
  expect(reads.count()).toBe(2);
});

test("an edit by hand of the same size in the same instant is seen", async () => {
  const dir = folderWith(folder, { "a.md": "edit 100", "b.md": "edit 100" });
  const memory = openDirectoryMemory({ dir });
  // However long the loop takes, neither file grows old.
  jest.spyOn(Date, "now").mockReturnValue(lstatSync(join(dir, "b.md")).ctimeMs);
  const reads = await countedReads();
  for (let edit = 100; edit < 150; edit += 1) {
    writeFileSync(join(dir, "a.md"), `edit ${edit}`);
    utimesSync(join(dir, "a.md"), 1, 1);
    const [first] = await memory.grep("edit");
    expect(first?.text).toBe(`edit ${edit}`);
  }
  // The other file is as young, so each call has read it too.
  expect(reads.count()).toBe(100);
});

test("an edit by hand of the same size is seen even if the time of the file is set back", async () => {
  const dir = folderWith(folder, { "a.md": "old" });
  const memory = openDirectoryMemory({ dir });
  const file = join(dir, "a.md");
  utimesSync(file, 1, 1);
  const { ctimeMs } = lstatSync(file);
  anHourLater();
  expect(await memory.grep("old")).toHaveLength(1);
  do {
    writeFileSync(file, "new");
    utimesSync(file, 1, 1);
  } while (lstatSync(file).ctimeMs === ctimeMs);
  expect(await memory.grep("old")).toEqual([]);
  expect(await memory.grep("new")).toHaveLength(1);
});

test("texts of more than 16 MB are not all kept", async () => {
  const texts = Array.from({ length: 17 }, (_, file) => [`${file}.md`, "x".repeat(1_000_000)]);
  const memory = openDirectoryMemory({ dir: folderWith(folder, Object.fromEntries(texts)) });
  anHourLater();
  const reads = await countedReads();
  await memory.grep("x");
  await memory.grep("x");
  expect(reads.count()).toBeGreaterThan(17);
});
