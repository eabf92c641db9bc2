import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { BetaLocalFilesystemMemoryTool } from "@anthropic-ai/sdk/tools/memory/node";
import type { MemoryToolHandlers } from "../../src/langchain/claude/index.js";
import { fixtureOf, text, turnOf } from "../memories/fixture.js";
import { compare, type Comparison, measureRound, type Sample } from "../measuring/measure.js";
import type { builtDirectory, Dialects } from "../package/built-package.js";

export interface DirectoryBenchOptions {
  dialects: Dialects;
  directory: Awaited<ReturnType<typeof builtDirectory>>;
  rounds: number;
}

export interface DirectoryResult extends Comparison {
  command: string;
}

export interface DirectoryMeasured {
  results: DirectoryResult[];
  /** Of 50 `str_replace` of one file at once, those that are in the file afterwards. */
  kept: { ours: number; theirs: number };
}

const iterations = 40;
const concurrent = 50;
const fixture = fixtureOf(100);

type Call = (handlers: MemoryToolHandlers, path: string) => Promise<unknown>;

const calls: [command: string, call: Call][] = [
  ["view a file", (handlers, path) => handlers.view({ command: "view", path })],
  ["view the root", (handlers) => handlers.view({ command: "view", path: "/memories" })],
  ["create", (handlers, path) => handlers.create({ command: "create", path: `${path}-new`, file_text: text })],
  [
    "str_replace",
    (handlers, path) => handlers.str_replace({ command: "str_replace", path, old_str: "alpha", new_str: "omega" }),
  ],
  ["insert", (handlers, path) => handlers.insert({ command: "insert", path, insert_line: 0, insert_text: "x\n" })],
  ["delete", (handlers, path) => handlers.delete({ command: "delete", path })],
  ["rename", (handlers, path) => handlers.rename({ command: "rename", old_path: path, new_path: `${path}-moved` })],
];

/** Claude's memory tool over a folder, against that of Anthropic's SDK over another. */
export async function runDirectoryBench(options: DirectoryBenchOptions): Promise<DirectoryMeasured> {
  const base = await mkdtemp(join(tmpdir(), "directory-bench-"));
  try {
    const folders = { ours: join(base, "ours"), theirs: join(base, "theirs", "memories") };
    const theirs = (await BetaLocalFilesystemMemoryTool.init(join(base, "theirs"))) as unknown as MemoryToolHandlers;
    const memory = options.directory.openDirectoryMemory({ dir: folders.ours, paths: "posix" });
    const ours = options.dialects.claudeMemoryHandlers(memory);
    const reset = async (): Promise<void> => {
      for (const folder of Object.values(folders)) await seed(folder);
    };
    const samples = new Map<string, Sample[]>();
    for (let round = 0; round <= options.rounds; round += 1) {
      for (const [command, call] of calls) {
        await reset();
        const path = (index: number): string => `/memories${turnOf(fixture, index).path}`;
        const pair = {
          ours: (index: number) => call(ours, path(index)),
          theirs: (index: number) => call(theirs, path(index)),
        };
        const sample = await measureRound(pair, iterations);
        if (round > 0) samples.set(command, [...(samples.get(command) ?? []), sample]);
      }
    }
    const kept = { ours: await keptOf(ours, folders.ours), theirs: await keptOf(theirs, folders.theirs) };
    return { results: [...samples].map(([command, rounds]) => ({ command, ...compare(rounds) })), kept };
  } finally {
    await rm(base, { recursive: true, force: true });
  }
}

async function seed(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  for (const path of fixture.paths) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}

async function keptOf(handlers: MemoryToolHandlers, folder: string): Promise<number> {
  const marks = Array.from({ length: concurrent }, (_, index) => `<${index}>`);
  await writeFile(join(folder, "file-0"), marks.join("\n"));
  const replace = (mark: string) =>
    handlers.str_replace({ command: "str_replace", path: "/memories/file-0", old_str: mark, new_str: `done ${mark}` });
  await Promise.all(marks.map(replace));
  const found = await readFile(join(folder, "file-0"), "utf8");
  return marks.filter((mark) => found.includes(`done ${mark}`)).length;
}
