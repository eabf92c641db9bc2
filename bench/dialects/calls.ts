import type { StructuredToolInterface } from "@langchain/core/tools";
import type { Memory } from "../../src/core/memory.js";
import { fixtureOf, text, turnOf } from "../memories/fixture.js";
import type { Dialects } from "../package/built-package.js";

/** A call of a dialect's tool, and the call of the unified tool that does the nearest to it. */
export interface DialectCall {
  dialect: "claude" | "journal" | "records";
  command: string;
  nearest: string;
  tool: string;
  args: (iteration: number) => object;
  unifiedArgs: (iteration: number) => object;
}

const fixture = fixtureOf(100);
const pathOf = (iteration: number): string => turnOf(fixture, iteration).path;
const read = (path: string): object => ({ command: "read", path });
const append = (path: string, content: string): object => ({ command: "append", path, content });
const update = (path: string, oldContent: string, content: string): object => ({
  command: "update",
  path,
  oldContent,
  content,
});
const newText = "a text of an agent's memory, of two sentences. This is the second one.";

/** 100 files of 500 bytes, for the dialects that work on files. */
export async function seedFiles(memory: Memory): Promise<void> {
  for (const path of fixture.paths) await memory.write(path, text);
}

const keyOf = (iteration: number): string => `key ${iteration % 100}`;
const dayOf = (iteration: number): Date => new Date(Date.UTC(2026, 0, 1 + (iteration % 20), 12));

/** A journal of 100 keys in 20 days. */
export async function seedJournal(memory: Memory, { createJournalTools }: Dialects): Promise<void> {
  for (let index = 0; index < 100; index += 1) {
    const [write] = createJournalTools(memory, { clock: () => dayOf(index) });
    await write?.invoke({ key: keyOf(index), content: text });
  }
}

const dayFile = (iteration: number): string => `/2026/01/${String(1 + (iteration % 20)).padStart(2, "0")}.md`;

type OnPath = (path: string) => object;

/** Paths as the memory has them; the tool's are below `/memories`. */
function claudeCall(command: string, nearest: string, args: OnPath, unifiedArgs: OnPath): DialectCall {
  const call = (index: number): object => args(`/memories${pathOf(index)}`);
  return {
    dialect: "claude",
    command,
    nearest,
    tool: "memory",
    args: call,
    unifiedArgs: (index) => unifiedArgs(pathOf(index)),
  };
}

/** Paths as the tool has them, without the first slash. */
function recordCall(tool: string, nearest: string, args: OnPath, unifiedArgs: OnPath): DialectCall {
  const call = (make: OnPath) => (index: number) => make(pathOf(index).slice(1));
  return { dialect: "records", command: tool, nearest, tool, args: call(args), unifiedArgs: call(unifiedArgs) };
}

function journalCall(
  tool: string,
  nearest: string,
  args: (index: number) => object,
  unifiedArgs: (index: number) => object,
): DialectCall {
  return { dialect: "journal", command: tool, nearest, tool, args, unifiedArgs };
}

const remove = (path: string): object => ({ command: "delete", path });
const [before, after] = ["alpha lorem", "omega lorem"];

export const fileCalls: DialectCall[] = [
  claudeCall("view a file", "read", (path) => ({ command: "view", path }), read),
  {
    ...claudeCall(
      "view the root",
      "list",
      () => ({}),
      () => ({ command: "list", path: "/" }),
    ),
    args: () => ({ command: "view", path: "/memories" }),
  },
  claudeCall(
    "create",
    "append",
    (path) => ({ command: "create", path: `${path}-new`, file_text: newText }),
    (path) => append(`${path}-new`, newText),
  ),
  claudeCall(
    "str_replace",
    "update",
    (path) => ({ command: "str_replace", path, old_str: before, new_str: after }),
    (path) => update(path, before, after),
  ),
  claudeCall(
    "insert",
    "append",
    (path) => ({ command: "insert", path, insert_line: 0, insert_text: "x\n" }),
    (path) => append(path, "x\n"),
  ),
  claudeCall("delete", "delete", (path) => ({ command: "delete", path }), remove),
  claudeCall("rename", "delete", (path) => ({ command: "rename", old_path: path, new_path: `${path}-moved` }), remove),
  recordCall(
    "add_memory",
    "append",
    (path) => ({ path: `${path}-new`, content: newText }),
    (path) => append(`/${path}-new`, newText),
  ),
  recordCall(
    "replace_memory",
    "update",
    (path) => ({ path, content: newText }),
    (path) => update(`/${path}`, before, after),
  ),
  recordCall(
    "drop_memory",
    "delete",
    (path) => ({ path }),
    (path) => remove(`/${path}`),
  ),
  recordCall(
    "clear_memory",
    "delete",
    () => ({}),
    () => remove("/"),
  ),
];

export const journalCalls: DialectCall[] = [
  journalCall(
    "memory_write",
    "append",
    (index) => ({ key: `new ${index}`, content: newText }),
    (index) => append(dayFile(index), newText),
  ),
  journalCall(
    "memory_update",
    "update",
    (index) => ({ key: keyOf(index), content: newText }),
    (index) => update(dayFile(index), before, after),
  ),
  journalCall(
    "memory_read",
    "read",
    (index) => ({ key: keyOf(index) }),
    (index) => read(dayFile(index)),
  ),
  journalCall(
    "memory_search",
    "list",
    () => ({ query: "key 1" }),
    () => ({ command: "list", path: "/2026/01" }),
  ),
];

export function toolOf({ dialect, tool }: DialectCall, memory: Memory, dialects: Dialects): StructuredToolInterface {
  const tools = {
    claude: () => [dialects.createClaudeMemoryTool(memory)],
    journal: () => dialects.createJournalTools(memory),
    records: () => dialects.createRecordTools(memory),
  }[dialect]();
  const found = tools.find(({ name }) => name === tool);
  if (found === undefined) throw new Error(`${dialect} has no tool ${tool}`);
  return found;
}

/** A refusal is no work worth measuring. */
export async function checked(tool: StructuredToolInterface, args: object): Promise<unknown> {
  const answer = String(await tool.invoke(args));
  if (/^(?:Error|The path|status: error)|"success":false|"ok":false/.test(answer))
    throw new Error(`${JSON.stringify(args)}: ${answer}`);
  return answer;
}
