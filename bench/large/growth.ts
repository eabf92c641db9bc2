import { memoryUsage } from "node:process";
import type { Memory } from "../../src/index.js";
import { tableHead, toRow, toShort } from "../measuring/report.js";
import { share, time } from "../measuring/times.js";

/** Concurrent loops that create files and append to them. */
export const writers = 8;
export const fileBytes = 2_000;
export const directoryFiles = 100;

const text = `${"lorem ipsum dolor sit amet ".repeat(fileBytes).slice(0, fileBytes - 1)}\n`;
const addition = "- a note\n";
/** Every tenth change of a writer appends to one of its files. */
const appendEvery = 10;
/** The sizes at which a row of the table ends, in MB. */
const steps = [1, 5, 20, 50, 100, 200, 400];

export const getPath = (file: number): string => `/d${Math.floor(file / directoryFiles)}/f${file}`;

/** Times of one step of the growth, in milliseconds. */
interface Step {
  create: number[];
  append: number[];
  snapshot: number[];
}

/**
 * Grows a memory from nothing while a reader takes snapshots, and returns a row for each step. The reader waits between
 * two snapshots as long as the last one took, so that it takes half of one connection.
 */
export async function measureGrowth(memory: Memory, reader: Memory, fileCount: number): Promise<string[]> {
  const rows: string[] = [];
  let files = 0;
  let step: Step = { create: [], append: [], snapshot: [] };
  let begun = performance.now();
  const endStep = (sizeBytes: number): void => {
    const sizeMb = sizeBytes / 1e6;
    const rate = step.create.length / ((performance.now() - begun) / 1_000);
    const cells = [step.create, step.append, step.snapshot].flatMap((times) => [share(times, 0.5), share(times, 0.99)]);
    rows.push(
      toRow([
        toShort(sizeMb),
        String(sizeBytes / fileBytes),
        rate.toFixed(0),
        ...cells,
        (memoryUsage().rss / 1e6).toFixed(0),
      ]),
    );
    step = { create: [], append: [], snapshot: [] };
    begun = performance.now();
  };
  const write = async (): Promise<void> => {
    for (let turn = 1; files < fileCount; turn += 1) {
      const file = files;
      files += 1;
      step.create.push(await time(() => memory.write(getPath(file), text)));
      if (turn % appendEvery === 0) step.append.push(await time(() => memory.append(getPath(file), addition)));
      if (steps.some((mb) => mb * 1e6 === (file + 1) * fileBytes)) endStep((file + 1) * fileBytes);
    }
  };
  const read = async (): Promise<void> => {
    while (files < fileCount) {
      const tookMs = await time(() => reader.snapshot());
      step.snapshot.push(tookMs);
      await new Promise((resolve) => setTimeout(resolve, tookMs));
    }
  };
  await Promise.all([read(), ...Array.from({ length: writers }, write)]);
  if (step.create.length > writers) endStep(files * fileBytes);
  return [
    ...tableHead([
      "MB",
      "files",
      "new files a second",
      "new file, ms: median",
      "99 %",
      "append, ms: median",
      "99 %",
      "snapshot, ms: median",
      "99 %",
      "memory of the process, MB",
    ]),
    ...rows,
  ];
}
