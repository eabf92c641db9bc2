import { readdirSync, readFileSync } from "node:fs";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import type { StructuredTool } from "@langchain/core/tools";
import { type Memory, openMemory } from "../../src/index.js";
import { createJournalTools } from "../../src/langchain/journal/index.js";

const folder = new URL("../fixtures/agentool/", import.meta.url);

/** A recording of the real crate. */
export interface Scenario {
  name: string;
  verdict: "match" | "fix";
  context: { memory_dir: string };
  files_compare: string;
  steps: Step[];
  files: Record<string, string>;
}

export interface Step {
  tool: string;
  args: unknown;
  now?: string;
  js_skip?: boolean;
  expect?: object;
}

export const scenarioFiles: readonly string[] = readdirSync(folder).filter((file) => /^\d\d-.*\.json$/.test(file));

export function readFixture(file: string): unknown {
  return JSON.parse(readFileSync(new URL(file, folder), "utf8"));
}

export interface Answer {
  data?: Record<string, unknown>;
  success: boolean;
  error?: { code: string; message: string };
}

/** Journal tools over their own memory, and the time of the next call. */
export class JournalBench {
  readonly memory: Memory;
  readonly tools: StructuredTool[];
  now = new Date("2026-01-15T10:00:00.123Z");

  constructor(root = "/", memory = openMemory(new InMemoryStore(), { nodeId: "journal" })) {
    this.memory = memory;
    this.tools = createJournalTools(memory, { clock: () => this.now, root });
  }

  async text(name: string, args: unknown): Promise<string> {
    const tool = this.tools.find((each) => each.name === name);
    if (tool === undefined) throw new Error(`no tool ${name}`);
    return (await tool.invoke(args as Record<string, unknown>)) as string;
  }

  async call(name: string, args: unknown): Promise<Answer> {
    return JSON.parse(await this.text(name, args)) as Answer;
  }

  /** Puts a text into the memory without the tools. */
  async put(path: string, content: string): Promise<void> {
    await this.memory.write(path, content);
  }

  /** Deletes from the memory without the tools. */
  async remove(path: string): Promise<void> {
    await this.memory.delete(path);
  }

  /** Reads all files except the reservations. */
  async files(): Promise<Record<string, string>> {
    const { files } = await this.memory.snapshot();
    const visible = files.filter(({ path }) => !path.includes("/.journal/"));
    return Object.fromEntries(visible.map(({ path, content }) => [path.slice(1), content]));
  }
}

export interface Replay {
  scenario: Scenario;
  bench: JournalBench;
  /** The answers of each step, ours and the crate's. `undefined` if the step has no call. */
  answers: { step: Step; text: string; expected: string }[];
}

/**
 * Runs a scenario's steps on a memory, except the steps that JavaScript cannot express. `adapt` may change the
 * arguments, `open` chooses the memory.
 */
export async function replay(
  number: number,
  adapt = (step: Step): unknown => step.args,
  open = (root: string): JournalBench => new JournalBench(root),
): Promise<Replay> {
  const prefix = `${String(number).padStart(2, "0")}-`;
  const file = scenarioFiles.find((each) => each.startsWith(prefix));
  const scenario = readFixture(file ?? prefix) as Scenario;
  const bench = open(scenario.context.memory_dir);
  const answers: Replay["answers"] = [];
  for (const step of scenario.steps.filter(({ js_skip: isNotForJavaScript }) => isNotForJavaScript !== true)) {
    if (step.now !== undefined) bench.now = new Date(step.now);
    if (step.expect === undefined) {
      await handEdit(bench, step);
    } else {
      answers.push({ step, text: await bench.text(step.tool, adapt(step)), expected: JSON.stringify(step.expect) });
    }
  }
  return { scenario, bench, answers };
}

async function handEdit(bench: JournalBench, { tool, args }: Step): Promise<void> {
  const { path, content, dir } = args as { path: string; content?: string; dir?: boolean };
  if (tool === "_remove") await bench.remove(path);
  else if (content !== undefined) await bench.put(path, content);
  else if (dir === true) await makeDirectory(bench, path);
  else throw new Error(`${tool} of ${path} needs a real folder`);
}

/** Creates a directory. It stays when its last file is deleted. */
async function makeDirectory(bench: JournalBench, path: string): Promise<void> {
  await bench.put(`${path}/file`, "");
  await bench.remove(`${path}/file`);
}
