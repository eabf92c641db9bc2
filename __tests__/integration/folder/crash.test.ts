import { expect, it } from "@jest/globals";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { openPatiently } from "../../helpers/left-lock.js";
import { compiled } from "../../helpers/compiled-sources.js";
import { folderWith, testFolder } from "../../helpers/test-folder.js";

const worker = compiled("__tests__/helpers/folder-worker.ts");
const folder = testFolder();
const work = ".langgraph-mongo-memory";

/** Runs a process that appends, kills it after so many acknowledged lines, and answers these. */
async function crashAfter(dir: string, name: string, count: number): Promise<string[]> {
  const child = spawn(process.execPath, [worker, dir, "endless", name], { stdio: ["ignore", "pipe", "inherit"] });
  const acknowledged: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    acknowledged.push(line);
    if (acknowledged.length === count) child.kill("SIGKILL");
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, "close");
  return acknowledged;
}

it("every append that was acknowledged is there exactly once after kill -9, and the next process goes on", async () => {
  const dir = folderWith(folder);
  const memory = openPatiently({ dir, timeoutMs: Infinity });
  const acknowledged: string[] = [];
  let crashesInChange = 0;
  let crashes = 0;
  // Where each was between two changes, another one is needed.
  for (; crashes < 3 || crashesInChange === 0; crashes += 1) {
    // Not always at the same place of a change.
    acknowledged.push(...(await crashAfter(dir, `crash ${crashes}`, 40 + 7 * crashes)));
    if (readdirSync(join(dir, work)).includes("lock")) crashesInChange += 1;
    const seen = await memory.list();
    expect(seen.map(({ name }) => name)).toEqual(["deep", "log"]);
    await memory.append("/log", `after crash ${crashes}`);
    acknowledged.push(`after crash ${crashes}`);
    expect(readdirSync(join(dir, work))).toEqual([".gitignore"]);
  }
  const { files } = await memory.snapshot();
  expect(files.map(({ path }) => path)).toEqual(["/deep/er/log", "/log"]);
  const lines = files.flatMap(({ content }) => content.split("\n"));
  expect(new Set(lines).size).toBe(lines.length);
  expect(lines).toEqual(expect.arrayContaining(acknowledged));
  for (const line of lines) expect(line).toMatch(/^(crash \d+ writer \d line \d+|after crash \d+)$/);
  // What was on its way when the process died, at most one line of each writer and crash.
  expect(lines.length - acknowledged.length).toBeLessThanOrEqual(2 * crashes);
});

it.each(["busy", "waits"])("a process that has changed a folder, and %s, ends at SIGTERM", async (act) => {
  const child = spawn(process.execPath, [worker, folderWith(folder), act], { stdio: ["ignore", "pipe", "inherit"] });
  try {
    await once(child.stdout, "data");
    const closed = once(child, "close");
    child.kill("SIGTERM");
    expect(await closed).toEqual([null, "SIGTERM"]);
  } finally {
    child.kill("SIGKILL");
  }
});
