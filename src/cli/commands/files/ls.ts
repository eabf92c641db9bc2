import { Option } from "commander";
import type { Memory, MemoryEntry, MemoryStat } from "../../../core/memory.js";
import { MemoryError } from "../../../core/values/errors.js";
import { normalizePath, getPathPrefix, ROOT } from "../../../core/values/paths.js";
import { memoryCommand } from "../../memory-command.js";
import { readOptions } from "../../targets/target-options.js";
import { bytesText } from "../../terminal/format.js";
import type { Output } from "../../terminal/output.js";

type Row = MemoryEntry & Partial<Pick<MemoryStat, "sizeBytes" | "createdAt" | "updatedAt">>;

export const ls = memoryCommand<{ path?: string; long?: boolean }>({
  usage: "ls [path]",
  description: "List a directory of a memory, or one file.",
  examples: ["ls --node assistant", "ls /notes -l --node assistant --user ada@example.com", "ls --dir ./memory --json"],
  options: [new Option("-l, --long", "show sizes in bytes and times of the last change"), ...readOptions],
  access: "read",
  subject: ({ path = ROOT }) => path,
  run: async ({ memory }, { path = ROOT, long = false }, { out }) => {
    const target = normalizePath(path, { emptyIsRoot: true });
    const { entries, prefix } = await listEntries(memory, target);
    const rows = long ? await addStats(memory, entries, prefix) : entries;
    const lines = rows.map((row) => `${long ? formatStat(row) : ""}${formatName(row, out)}\n`);
    return { json: { path: target, entries: rows }, text: lines.join("") };
  },
});

/** Returns the entries of a directory. For a file, returns only this file, like every `ls`. */
async function listEntries(memory: Memory, path: string): Promise<{ entries: MemoryEntry[]; prefix: string }> {
  try {
    return { entries: await memory.list(path), prefix: getPathPrefix(path) };
  } catch (error) {
    if (!MemoryError.isInstance(error) || error.code !== "ENOTDIR") throw error;
    const start = path.lastIndexOf("/") + 1;
    return { entries: [{ name: path.slice(start), kind: "file" }], prefix: path.slice(0, start) };
  }
}

/** Adds sizes and times. Leaves out entries that were deleted after the list was read. */
async function addStats(memory: Memory, entries: readonly MemoryEntry[], prefix: string): Promise<Row[]> {
  const rows = entries.map(async (entry): Promise<Row[]> => {
    const stat = await memory.stat(prefix + entry.name);
    if (stat === null) return [];
    const { sizeBytes, createdAt, updatedAt } = stat;
    return [{ ...entry, sizeBytes, createdAt, updatedAt }];
  });
  return (await Promise.all(rows)).flat();
}

function formatStat({ sizeBytes = 0, updatedAt }: Row): string {
  return `${bytesText(sizeBytes).padStart(10)}  ${(updatedAt?.toISOString() ?? "-").padEnd(24)}  `;
}

function formatName({ name, kind }: Row, out: Output): string {
  return kind === "dir" ? out.style("blue", `${out.foreign(name)}/`) : out.foreign(name);
}
