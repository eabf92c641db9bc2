import type { StructuredTool } from "@langchain/core/tools";
import { parse } from "yaml";
import { createClaudeMemoryTool } from "../../src/langchain/claude/index.js";
import { type Memory, MemoryConnectorNode, MemoryTool } from "../../src/index.js";
import { createJournalTools } from "../../src/langchain/journal/index.js";
import { createRecordTools } from "../../src/langchain/records/index.js";

/** A file with one block, which every dialect can read or write in some way. */
export interface Note {
  /** Path in the memory. It ends in `.md`, so that the journal reads it. */
  path: string;
  key: string;
  body: string;
}

const now = new Date("2026-01-15T10:00:00.120Z");
const clock = (): Date => now;

/** The text of the file with the note. */
export function textOf({ key, body }: Pick<Note, "key" | "body">): string {
  return `### ${key}\n\n${body}\n\n<!-- agentool-memory: at=2026-01-15T10:00:00.120+00:00 -->\n\n`;
}

/** The operations on a note that one way in offers. Each throws if it is refused. */
export interface WayIn {
  /** The path to which this way in writes its own note. */
  home?: string;
  /** Whether it writes only to existing files, because its rule for names allows no dot. */
  needsFile?: boolean;
  write?: (note: Note) => Promise<unknown>;
  /** The text of the file, or null if there is none. */
  read?: (note: Note) => Promise<string | null>;
  change?: (note: Note, body: string) => Promise<unknown>;
  remove?: (note: Note) => Promise<unknown>;
}

/** Returns a function that calls one of the tools, and throws if `isRefused` is true for the answer. */
function caller(tools: StructuredTool[], isRefused: (answer: string) => boolean) {
  return async (name: string, args: object): Promise<string> => {
    const answer = (await tools.find((tool) => tool.name === name)?.invoke(args as Record<string, unknown>)) as string;
    if (isRefused(answer)) throw new Error(answer);
    return answer;
  };
}

/** Returns null if the call fails because nothing exists, with one of these messages. */
async function orNull<T>(run: () => Promise<T>, missing: RegExp): Promise<T | null> {
  try {
    return await run();
  } catch (error) {
    if (missing.test(String(error))) return null;
    throw error;
  }
}

export const callsOf = {
  unified: (memory: Memory) => caller([new MemoryTool({ memory })], (answer) => answer.includes('"ok":false')),
  claude: (memory: Memory) =>
    caller([createClaudeMemoryTool(memory)], (answer) => /^(Error: |No replacement|The path)/.test(answer)),
  journal: (memory: Memory) =>
    caller(createJournalTools(memory, { clock }), (answer) => answer.startsWith('{"success":false')),
  records: (memory: Memory) => caller(createRecordTools(memory, { clock }), (answer) => parse(answer).status !== "ok"),
};

/** Every way to one memory: the dialects, programs, and the prompt, which only shows. */
export const waysIn: Record<string, (memory: Memory) => WayIn> = { program, unified, claude, journal, records, prompt };

function program(memory: Memory): WayIn {
  return {
    home: "/notes/by hand.md",
    write: ({ path, ...note }) => memory.write(path, textOf(note), { ifExists: "fail" }),
    read: async ({ path }) => ((await memory.stat(path)) === null ? null : memory.read(path)),
    change: ({ path, body: old }, body) => memory.edit(path, (text) => text.split(old).join(body)),
    remove: ({ path }) => memory.delete(path),
  };
}

function unified(memory: Memory): WayIn {
  const call = callsOf.unified(memory);
  return {
    home: "/notes/unified.md",
    needsFile: true,
    write: ({ path, ...note }) => call("memory", { command: "append", path, content: textOf(note) }),
    read: async ({ path }) => {
      const answer = await orNull(() => call("memory", { command: "read", path }), /ENOENT|invalid path segment/);
      return answer && (JSON.parse(answer) as { result: { content: string } }).result.content;
    },
    change: ({ path, body: oldContent }, content) => call("memory", { command: "update", path, oldContent, content }),
    remove: ({ path }) => call("memory", { command: "delete", path }),
  };
}

function claude(memory: Memory): WayIn {
  const call = callsOf.claude(memory);
  const pathOf = ({ path }: Note): string => `/memories${path}`;
  return {
    home: "/notes/claude.md",
    write: (note) => call("memory", { command: "create", path: pathOf(note), file_text: textOf(note) }),
    read: async (note) => {
      const answer = await orNull(() => call("memory", { command: "view", path: pathOf(note) }), /does not exist/);
      // `view` shows no separate line for the final newline, so every line gets a newline.
      return (
        answer &&
        answer
          .split("\n")
          .slice(1)
          .map((line) => `${line.replace(/^ *\d+\t/, "")}\n`)
          .join("")
      );
    },
    change: (note, body) =>
      call("memory", { command: "str_replace", path: pathOf(note), old_str: note.body, new_str: body }),
    remove: (note) => call("memory", { command: "delete", path: pathOf(note) }),
  };
}

function journal(memory: Memory): WayIn {
  const call = callsOf.journal(memory);
  return {
    home: "/2026/01/15.md",
    write: ({ key, body }) => call("memory_write", { key, content: body }),
    read: async ({ key, path }) => {
      const answer = await orNull(() => call("memory_read", { key }), /MEMORY_KEY_NOT_FOUND/);
      if (answer === null) return null;
      const { content, file } = (JSON.parse(answer) as { data: { content: string; file: string } }).data;
      if (`/${file}` !== path) throw new Error(`${key} is in ${file}`);
      return textOf({ key, body: content });
    },
    change: ({ key }, content) => call("memory_update", { key, content }),
  };
}

function records(memory: Memory): WayIn {
  const call = callsOf.records(memory);
  const pathOf = ({ path }: Note): string => path.slice(1);
  return {
    home: "/notes/records.md",
    needsFile: true,
    write: (note) => call("replace_memory", { path: pathOf(note), content: textOf(note) }),
    change: (note, body) => call("replace_memory", { path: pathOf(note), content: textOf({ ...note, body }) }),
    remove: (note) => call("drop_memory", { path: pathOf(note) }),
  };
}

function prompt(memory: Memory): WayIn {
  const connector = new MemoryConnectorNode({
    memory: { scope: "global", memoryForRun: () => memory, globalMemory: () => memory },
    content: "full",
    maxChars: 200_000,
  });
  return {
    read: async ({ path }) => {
      const text = (await connector.renderMessage())?.text ?? "";
      const [, rest] = text.split(`\n${path} (`);
      const shown = rest?.split("\n").slice(1) ?? [];
      const end = shown.findIndex((line) => !line.startsWith("| "));
      return rest === undefined
        ? null
        : shown
            .slice(0, end)
            .map((line) => line.slice(2))
            .join("\n");
    },
  };
}
