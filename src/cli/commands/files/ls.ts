import { Option } from "commander";
import type { Memory, MemoryEntry, MemoryStat } from "../../../core/memory.js";
import { MemoryTree } from "../../../core/tree/memory-tree.js";
import { MemoryError } from "../../../core/values/errors.js";
import { normalizePath, getPathPrefix, ROOT } from "../../../core/values/paths.js";
import { memoryCommand } from "../../memory-command.js";
import { readOptions } from "../../targets/target-options.js";
import { bytesText } from "../../terminal/format.js";
import type { Output } from "../../terminal/output.js";

type Row = MemoryEntry & Partial<Omit<MemoryStat, "kind">>;

export const ls = memoryCommand<{ path?: string; long?: boolean }>({
  usage: "ls [path]",
  description: "List a directory of a memory, or one file.",
  examples: ["ls --node assistant", "ls /notes -l --node assistant --user ada@example.com", "ls --dir ./memory --json"],
  options: [new Option("-l, --long", "show sizes in bytes and times of the last change"), ...readOptions],
  access: "read",
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

/** Adds sizes and times from one snapshot. Leaves out entries that were deleted after the list was read. */
async function addStats(memory: Memory, entries: readonly MemoryEntry[], prefix: string): Promise<Row[]> {
  const tree = new MemoryTree(await memory.snapshot());
  const rows: Row[] = [];
  for (const entry of entries) {
    const path = prefix + entry.name;
    // The snapshot of a folder leaves out files that are no text.
    const stat = tree.stat(path) ?? (await memory.stat(path));
    if (stat !== null) rows.push({ ...stat, ...entry });
  }
  return rows;
}

function formatStat({ sizeBytes = 0, updatedAt }: Row): string {
  return `${bytesText(sizeBytes).padStart(10)}  ${(updatedAt?.toISOString() ?? "-").padEnd(24)}  `;
}

function formatName({ name, kind }: Row, out: Output): string {
  return kind === "dir" ? out.style("blue", `${out.foreign(name)}/`) : out.foreign(name);
}
