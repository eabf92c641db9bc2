import { afterAll, describe, expect, it } from "@jest/globals";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openPatiently } from "../../helpers/left-lock.js";
import { MemoryError } from "../../../src/index.js";
import { compiled } from "../../helpers/compiled-sources.js";
import { repetitions } from "../../helpers/repetitions.js";
import { folderWith, testFolder } from "../../helpers/test-folder.js";

const swapper = compiled("__tests__/helpers/link-worker.ts");
const inside = "inside";
const outside = "secret";
const rounds = repetitions({ usual: 20, long: 200 });
const workFolder = ".langgraph-mongo-memory";
const swappers: ChildProcess[] = [];

afterAll(() => swappers.forEach((child) => child.kill("SIGKILL")));
const folder = testFolder();

async function swapping(parent: string, name: string, target: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [swapper, parent, name, target], { stdio: ["ignore", "pipe", "inherit"] });
  swappers.push(child);
  const ended = once(child, "exit").then(() =>
    Promise.reject(new Error("the process that exchanges directories has ended")),
  );
  await Promise.race([once(child.stdout, "data"), ended]);
  return child;
}

async function end(child: ChildProcess): Promise<void> {
  // It has exchanged to the end, or the calls met nothing.
  expect([child.exitCode, child.signalCode]).toEqual([null, null]);
  const closed = once(child, "close");
  child.kill("SIGKILL");
  await closed;
}

/** Everything below a folder, as text. */
function contentsOf(dir: string): string[] {
  const entries = readdirSync(dir, { recursive: true, withFileTypes: true });
  return entries
    .map((entry) => `${entry.name} ${entry.isFile() ? readFileSync(join(entry.parentPath, entry.name), "utf8") : "/"}`)
    .toSorted();
}

/** What a call answers; a refusal is as good as any answer that is not from outside. */
async function answerOf(call: Promise<unknown>): Promise<string> {
  try {
    return JSON.stringify(await call) ?? "";
  } catch (error) {
    if (MemoryError.isInstance(error)) return error.message;
    throw error;
  }
}

/* Only on Linux: elsewhere names cannot be used below handles of directories. */
describe("while another process exchanges a directory with a link to another folder", () => {
  it("no call reads, changes or deletes anything there", async () => {
    const elsewhere = folderWith(folder, { file: outside, "deep/file": outside, "gone/file": outside, only: outside });
    const before = contentsOf(elsewhere);
    const dir = folderWith(folder, { "swap/file": inside, "swap/deep/file": inside, "swap/gone/file": inside });
    const memory = openPatiently({ dir, timeoutMs: Infinity });
    const child = await swapping(dir, "swap", elsewhere);
    let isReached = false;
    for (let round = 0; round < rounds; round += 1) {
      const calls = [
        () => memory.read("/swap/file"),
        () => memory.list("/swap"),
        () => memory.stat("/swap/only"),
        () => memory.snapshot(),
        () => memory.append("/swap/file", inside),
        () => memory.append("/swap/deep/file", inside),
        () => memory.write(`/swap/new ${round}/file`, inside),
        () => memory.edit("/swap/deep/file", (text) => text.replace(outside, "reached")),
        () => memory.rename(`/swap/new ${round}`, `/swap/moved ${round}`),
        () => memory.delete(`/swap/moved ${round}`),
        () => memory.delete("/swap/gone"),
        () => memory.write("/swap/gone/file", inside),
        () => memory.delete("/swap"),
        () => memory.write("/swap/deep/file", inside),
        () => memory.write("/swap/file", inside),
      ];
      for (const call of calls) {
        const answer = await answerOf(call());
        expect(answer).not.toMatch(/secret|only/);
        isReached ||= answer.includes(inside);
      }
    }
    await end(child);
    expect(contentsOf(elsewhere)).toEqual(before);
    expect(isReached).toBe(true);
  });

  it("and the work folder itself is exchanged, nothing is written or cleaned up there", async () => {
    const waste = "new-01234567-89ab-cdef-0123-456789abcdef";
    const elsewhere = folderWith(folder, { [waste]: outside, [`old-${waste.slice(4)}/file`]: outside });
    const before = contentsOf(elsewhere);
    const dir = folderWith(folder, { file: inside, [`${workFolder}/.gitignore`]: "*\n" });
    const memory = openPatiently({ dir, timeoutMs: Infinity });
    const child = await swapping(dir, workFolder, elsewhere);
    for (let round = 0; round < rounds; round += 1) {
      await answerOf(memory.append("/file", inside));
      await answerOf(memory.write("/deep/er/file", inside));
      await answerOf(memory.delete("/deep"));
    }
    await end(child);
    expect(contentsOf(elsewhere)).toEqual(before);
  });
});
