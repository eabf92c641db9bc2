import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ToolMessage } from "@langchain/core/messages";
import type { StructuredTool } from "@langchain/core/tools";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import fc, { type Arbitrary } from "fast-check";
import { parse } from "yaml";
import { openDirectoryMemory } from "../../../src/backends/directory/open-directory-memory.js";
import { checkAddress, type MemoryAddress } from "../../../src/core/values/address.js";
import type { Memory } from "../../../src/core/memory.js";
import { createClaudeMemoryTool } from "../../../src/langchain/claude/index.js";
import type { FlatSchema } from "../../../src/dialects/dialect.js";
import { createJournalTools } from "../../../src/langchain/journal/index.js";
import type { MemorySource } from "../../../src/langchain/memory-source.js";
import { createRecordTools } from "../../../src/langchain/records/index.js";
import type { DialectName } from "../../../src/dialects/registry.js";
import { allMemoryCommands } from "../../../src/dialects/unified/options.js";
import { MemoryTool } from "../../../src/langchain/memory-tool.js";
import { openMemory } from "../../../src/open-memory.js";
import { MongoMemoryStore } from "../../../src/mongodb/store/mongo-memory-store.js";
import { fragment, path, text } from "../../../__tests__/helpers/inputs/texts.js";
import { anything, json } from "../../../__tests__/helpers/inputs/values.js";
import { assertClean } from "../oracle.js";
import { type Environment, toSandbox, type Target } from "../target.js";
import { plantNeighbours } from "./neighbours.js";

type Open = (address: MemoryAddress) => Memory;

interface DialectUnderFuzz {
  /** What each command of its tool takes; none where its tools have no commands. */
  commands?: Record<string, string[]>;
  tools: (source: MemorySource) => StructuredTool[];
  /** The code of an answer. @throws where it is not in the dialect's form */
  codeOf: (answer: string) => string;
}

const dialects: Record<DialectName, DialectUnderFuzz> = {
  unified: {
    commands: {
      read: ["path"],
      list: ["path"],
      append: ["path", "content"],
      update: ["path", "oldContent", "content"],
      delete: ["path"],
      search: ["path", "query"],
    },
    tools: (source) => [new MemoryTool({ memory: source, commands: [...allMemoryCommands] })],
    codeOf: (answer) => {
      const {
        ok,
        error,
        path: shown,
        command,
      } = JSON.parse(answer) as { ok: boolean; error?: { code: string }; path: unknown; command: unknown };
      if (typeof shown !== "string" || typeof command !== "string" || ok === (error !== undefined))
        throw new Error("an answer in another form");
      return error?.code ?? "ok";
    },
  },
  claude: {
    commands: {
      view: ["path"],
      "view ": ["path", "view_range"],
      create: ["path", "file_text"],
      str_replace: ["path", "old_str", "new_str"],
      insert: ["path", "insert_line", "insert_text"],
      delete: ["path"],
      rename: ["old_path", "new_path"],
    },
    tools: (source) => [createClaudeMemoryTool(source)],
    codeOf: (answer) => (answer.startsWith("Error") ? "Error" : "text"),
  },
  journal: {
    tools: (source) => createJournalTools(source),
    codeOf: (answer) => {
      const { success, error } = JSON.parse(answer) as { success: boolean; error?: { code: string; message: string } };
      if (success === (error !== undefined)) throw new Error("an answer in another form");
      return error?.code ?? "ok";
    },
  },
  records: {
    tools: (source) => createRecordTools(source, { search: true }),
    codeOf: (answer) => {
      const { status, error_code: code } = parse(answer) as { status: string; error_code?: string };
      if ((status === "ok") === (code !== undefined)) throw new Error("an answer in another form");
      return code ?? "ok";
    },
  },
};

function inFolder(folder: string): Open {
  return (address) => {
    const dir = join(folder, Buffer.from(JSON.stringify(address)).toString("hex"));
    return openDirectoryMemory({ dir });
  };
}

const storages: Record<string, (environment: Environment, folder: string) => Open> = {
  mongodb: ({ client, dbName }) => {
    const store = new MongoMemoryStore({ client, dbName });
    return (address) => store.memory(address);
  },
  generic: () => {
    const store = new InMemoryStore();
    return (address) => openMemory(store, address);
  },
  folder: (_environment, folder) => inFolder(folder),
};

interface ToolCall {
  tool: string;
  args: unknown;
  /** By a model, whose call has an id; else by a program. */
  byModel: boolean;
  /** Of the run. */
  threadId: unknown;
}

const threadId = "thread";

/** Arguments by the schema of a tool, mostly; each may be anything. */
function argumentsOf({ schema }: StructuredTool, { commands }: DialectUnderFuzz): Arbitrary<unknown> {
  const { properties } = schema as FlatSchema;
  const required = Object.keys(properties).filter((name) => !("anyOf" in (properties[name] ?? {})));
  const plausible = Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [name, valuesOf(name, property)]),
  );
  const byCommand = Object.entries(commands ?? {}).map(([command, names]) =>
    fc.record({
      ...Object.fromEntries(names.map((name) => [name, plausible[name] ?? text])),
      command: fc.constant(command.trim()),
    }),
  );
  return fc.oneof(
    {
      weight: 30,
      arbitrary: byCommand.length > 0 ? fc.oneof(...byCommand) : fc.record(plausible, { requiredKeys: required }),
    },
    { weight: 10, arbitrary: fc.record(plausible, { requiredKeys: [] }) },
    {
      weight: 6,
      arbitrary: fc.dictionary(
        fc.oneof(fc.constantFrom("type", ...Object.keys(properties)), fragment),
        fc.oneof(json, text),
      ),
    },
    { weight: 2, arbitrary: anything },
  );
}

/** Few, so that calls meet what other calls have made. */
const keys = fc.constantFrom("a key", "other", "x");

function valuesOf(name: string, property: object): Arbitrary<unknown> {
  const others = { weight: 1, arbitrary: json };
  const { anyOf: [value] = [property] } = property as { anyOf?: [object] };
  const { enum: choices, type } = value as { enum?: string[]; type?: string };
  if (choices !== undefined) return fc.oneof({ weight: 20, arbitrary: fc.constantFrom(...choices) }, others);
  if (type === "array")
    return fc.oneof(
      { weight: 8, arbitrary: fc.array(fc.oneof(fc.integer({ min: -2, max: 2000 }), fragment), { maxLength: 3 }) },
      others,
    );
  if (type === "integer" || type === "number") {
    return fc.oneof(
      { weight: 8, arbitrary: fc.oneof(fc.integer({ min: -2, max: 50 }), fc.double(), fc.integer()) },
      others,
    );
  }
  if (name === "key") return fc.oneof({ weight: 12, arbitrary: keys }, { weight: 8, arbitrary: text }, others);
  if (name.endsWith("path")) {
    const rooted = path.map((each) => `/memories${each}`);
    const relative = path.map((each) => each.slice(1));
    return fc.oneof(
      { weight: 8, arbitrary: path },
      { weight: 8, arbitrary: rooted },
      { weight: 4, arbitrary: relative },
      others,
    );
  }
  return fc.oneof({ weight: 16, arbitrary: text }, others);
}

const threadIds: Arbitrary<unknown> = fc.oneof(
  { weight: 12, arbitrary: fc.constant(threadId) },
  { weight: 1, arbitrary: fc.oneof(anything, fragment) },
);

export const tools: Target = {
  name: "tools",
  tries: "arguments of all tools, well-formed or not",
  casesPerSandbox: 100,
  open: async (environment, id, seed) => {
    const [, open] = pick(Object.entries(storages), seed);
    const [name, dialect] = pick(Object.entries(dialects), Math.floor(seed / Object.keys(storages).length));
    const folder = join(environment.folder, Buffer.from(id).toString("hex"));
    mkdirSync(folder);
    const opened = open(environment, folder);
    const openAddress: Open = (address) => opened(checkAddress(address));
    const assertUnchanged = await plantNeighbours(openAddress, { nodeId: id, threadId });
    const offered = dialect.tools(({ threadId: ofRun = "" }) =>
      openAddress({ nodeId: id, scope: "perThread", threadId: ofRun }),
    );
    const calls = offered.map((tool) =>
      fc.record({
        tool: fc.constant(tool.name),
        args: argumentsOf(tool, dialect),
        byModel: fc.boolean(),
        threadId: threadIds,
      }),
    );
    return toSandbox<ToolCall>({
      inputs: fc.oneof(...calls),
      call: async ({ tool, args, byModel, threadId: ofRun }, measure) => {
        const input = byModel ? { type: "tool_call", id: "1", name: tool, args } : args;
        const called = offered.find((each) => each.name === tool);
        const answer: unknown = await measure(async () =>
          called?.invoke(input as never, { configurable: { thread_id: ofRun } }),
        );
        return `${name} ${checkedAnswer(dialect, answer, byModel)}`;
      },
      close: async () => {
        await assertUnchanged();
        rmSync(folder, { recursive: true, force: true });
      },
    });
  },
};

function checkedAnswer(dialect: DialectUnderFuzz, answer: unknown, byModel: boolean): string {
  if (byModel !== ToolMessage.isInstance(answer)) throw new Error(`an answer of another kind: ${typeof answer}`);
  const said = ToolMessage.isInstance(answer) ? answer.text : answer;
  if (typeof said !== "string" || !said.isWellFormed()) throw new Error("an answer that is no well-formed text");
  assertClean(said);
  const code = dialect.codeOf(said);
  if (said.includes("EIO:") || code === "ENOTMEM") throw new Error(`a storage that works has failed: ${said}`);
  if (ToolMessage.isInstance(answer)) {
    const isRefused = answer.status === "error";
    if (code !== "text" && isRefused !== (code !== "ok" && code !== "text"))
      throw new Error(`${code} has the status ${String(answer.status)}`);
  }
  return code;
}

function pick<T>(values: readonly T[], seed: number): T {
  const value = values[((Math.floor(seed) % values.length) + values.length) % values.length];
  if (value === undefined) throw new Error("nothing to pick from");
  return value;
}
