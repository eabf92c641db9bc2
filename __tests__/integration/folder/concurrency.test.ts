import { expect, it } from "@jest/globals";
import { type ChildProcessByStdio, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { promisify } from "node:util";
import { openDirectoryMemory } from "../../../src/backends/directory/index.js";
import { openPatiently } from "../../helpers/left-lock.js";
import { compiled } from "../../helpers/compiled-sources.js";
import { folderWith, testFolder } from "../../helpers/test-folder.js";

const runProcess = promisify(execFile);
const worker = compiled("__tests__/helpers/folder-worker.ts");
const folder = testFolder();

const names = ["one", "two", "three", "four"];
const lines = names.flatMap((name) => Array.from({ length: 50 }, (_, index) => `${name} ${index}`));

async function runAll(dir: string, act: "append" | "mark"): Promise<void> {
  const run = (name: string): Promise<unknown> => runProcess(process.execPath, [worker, dir, act, name, "50"]);
  await Promise.all(names.map(run));
}

it("four processes with 50 parallel appends and edits each lose and double nothing", async () => {
  const dir = folderWith(folder, { marks: lines.map((line) => `[${line}]`).join("\n") });
  await runAll(dir, "mark");
  const memory = openDirectoryMemory({ dir });
  expect((await memory.read("/log")).split("\n").toSorted()).toEqual(lines.toSorted());
  expect(await memory.read("/marks")).toBe(lines.map((line) => `(${line})`).join("\n"));
});

it("first changes of four processes in a folder that is not there yet are all kept", async () => {
  const dir = join(folderWith(folder), "not", "there");
  await runAll(dir, "append");
  expect((await openDirectoryMemory({ dir }).read("/log")).split("\n").toSorted()).toEqual(lines.toSorted());
  expect(readdirSync(join(dir, ".langgraph-mongo-memory"))).toEqual([".gitignore"]);
});

it("a process that stood still until its lock was taken over overwrites nothing, and makes its change anew", async () => {
  const dir = folderWith(folder, { log: "begun" });
  const child: ChildProcessByStdio<Writable, Readable, null> = spawn(
    process.execPath,
    [worker, dir, "sleep", "by the sleeper"],
    { stdio: ["pipe", "pipe", "inherit"] },
  );
  const output: string[] = [];
  child.stdout.on("data", (chunk) => output.push(String(chunk)));
  await once(child.stdout, "data");
  const memory = openPatiently({ dir, timeoutMs: Infinity });
  await memory.append("/log", "by the next");
  child.stdin.write("x");
  const [exitCode] = (await once(child, "close")) as [number];
  expect([exitCode, output.join("")]).toEqual([0, "inside\n2\n"]);
  expect(await memory.read("/log")).toBe("begun\nby the next\nby the sleeper");
});

it("readers never see half a command", async () => {
  const dir = folderWith(folder, { "a/file": "x".repeat(10_000) });
  const memory = openDirectoryMemory({ dir });
  const texts = ["x", "y"].map((letter) => letter.repeat(10_000));
  const shapes = ["/a /a/file", "/b /b/file", "/a /new /new/deep /a/file /new/deep/file"];
  const move = async (): Promise<void> => {
    for (let round = 0; round < 25; round += 1) {
      await memory.rename("/a", "/b");
      await memory.write("/b/file", texts[1 - (round % 2)] ?? "");
      await memory.rename("/b", "/a");
      await memory.write("/new/deep/file", "z");
      await memory.delete("/new");
    }
  };
  const other = openDirectoryMemory({ dir });
  const inNew = async (): Promise<string[]> => {
    const entries = await other.list("/new").catch(() => [{ name: "deep" }]);
    return entries.map(({ name }) => name);
  };
  const look = async (): Promise<void> => {
    for (let round = 0; round < 150; round += 1) {
      const { files, directories } = await other.snapshot();
      expect(shapes).toContain([...directories, ...files.map(({ path }) => path)].join(" "));
      for (const { path, content } of files) expect(path === "/new/deep/file" ? ["z"] : texts).toContain(content);
      // A directory and what was made with it appear, and go, at once.
      expect(await inNew()).toEqual(["deep"]);
    }
  };
  await Promise.all([move(), look()]);
});
