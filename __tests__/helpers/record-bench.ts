import type { StructuredTool } from "@langchain/core/tools";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { parse } from "yaml";
import { type Memory, openMemory } from "../../src/index.js";
import { createRecordTools } from "../../src/langchain/records/index.js";
import { freshAddress } from "./memory-case.js";

export interface RecordAnswer {
  status: "ok" | "error";
  path?: string;
  error_code?: string;
  message?: string;
  [field: string]: unknown;
}

/** Record tools over a memory, and the time of the next call. */
export class RecordBench {
  readonly memory: Memory;
  readonly tools: StructuredTool[];
  now = new Date("2026-01-15T10:00:00.120Z");

  constructor(memory = openMemory(new InMemoryStore(), freshAddress())) {
    this.memory = memory;
    this.tools = createRecordTools(memory, { clock: () => this.now });
  }

  /** Returns the exact answer. */
  async text(name: string, args: unknown): Promise<string> {
    const tool = this.tools.find((each) => each.name === name);
    if (tool === undefined) throw new Error(`no tool ${name}`);
    return (await tool.invoke(args as Record<string, unknown>)) as string;
  }

  async call(name: string, args: unknown): Promise<RecordAnswer> {
    return parse(await this.text(name, args)) as RecordAnswer;
  }

  /** Reads all files, by path. */
  async files(): Promise<Record<string, string>> {
    const { files } = await this.memory.snapshot();
    return Object.fromEntries(files.map(({ path, content }) => [path, content]));
  }
}

/** Builds an exact error answer whose message needs no quotes. */
export const recordError = (code: string, message: string): string =>
  `status: error\nerror_code: ${code}\nmessage: ${message}\n`;
