import { Option } from "commander";
import type { Memory, MemoryEntry, MemoryOutline, MemoryStat } from "../../../core/memory.js";
import { MemoryTree, sumBytes } from "../../../core/tree/memory-tree.js";
import { directoryNotFound, hasCode } from "../../../core/values/errors.js";
import { getName, getParent, getPathPrefix, isWithin, normalizePath, ROOT } from "../../../core/values/paths.js";
import { comparePaths } from "../../../core/values/text.js";
import { groupBy } from "../../collections.js";
import { memoryCommand } from "../../memory-command.js";
import { memoryOptions } from "../../targets/target-options.js";
import { numberText, countText } from "../../../core/display/count-text.js";
import type { Output } from "../../terminal/output.js";

export const cat = memoryCommand<{ path: string }>({
  usage: "cat <path>",
  description: "Print a file, byte for byte.",
  examples: ["cat /notes/today --node assistant", "cat /notes/today --node assistant > today.txt"],
  options: memoryOptions,
  access: "read",
  run: async ({ memory }, { path }, { out }) => {
    const content = await memory.read(path);
    return { json: { path: normalizePath(path), content }, text: out.foreign(content) };
  },
});

type Row = MemoryEntry & Partial<Omit<MemoryStat, "kind">>;

export const ls = memoryCommand<{ path?: string; long?: boolean }>({
  usage: "ls [path]",
  description: "List a directory of a memory, or one file.",
  examples: [
    "ls --node assistant",
    "ls /notes -l --node assistant --user ada@example.com",
    "ls --node assistant --json",
  ],
  options: [new Option("-l, --long", "show sizes in bytes and times of the last change"), ...memoryOptions],
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
    if (!hasCode(error, "ENOTDIR")) throw error;
    return { entries: [{ name: getName(path), kind: "file" }], prefix: getPathPrefix(getParent(path)) };
  }
}

/** Adds sizes and times from one snapshot. Leaves out entries that were deleted after the list was read. */
async function addStats(memory: Memory, entries: readonly MemoryEntry[], prefix: string): Promise<Row[]> {
  const tree = new MemoryTree(await memory.snapshot());
  const rows: Row[] = [];
  for (const entry of entries) {
    const stat = tree.stat(prefix + entry.name);
    if (stat !== null) rows.push({ ...stat, ...entry });
  }
  return rows;
}

function formatStat({ sizeBytes = 0, updatedAt }: Row): string {
  return `${numberText(sizeBytes).padStart(10)}  ${(updatedAt?.toISOString() ?? "-").padEnd(24)}  `;
}

function formatName({ name, kind }: Row, out: Output): string {
  return kind === "dir" ? out.style("blue", `${out.foreign(name)}/`) : out.foreign(name);
}

export const tree = memoryCommand<{ path?: string }>({
  usage: "tree [path]",
  description: "Show a memory or a directory as a tree. Sizes are in bytes.",
  examples: ["tree --node assistant", "tree /notes --node assistant"],
  options: memoryOptions,
  access: "read",
  run: async ({ memory }, { path = ROOT }, { out }) => {
    const root = normalizePath(path, { emptyIsRoot: true });
    const outline = await readOutline(memory, root);
    return { json: { path: root, ...outline }, text: formatTree(root, outline, out) };
  },
});

/** Reads everything at or below the path. @throws MemoryError ENOENT */
async function readOutline(memory: Memory, root: string): Promise<MemoryOutline> {
  const { files, directories, revision } = await memory.outline();
  const outline = {
    files: files.filter(({ path }) => isWithin(path, root)),
    directories: directories.filter((path) => isWithin(path, root)),
    revision,
  };
  if (root !== ROOT && outline.files.length + outline.directories.length === 0) throw directoryNotFound();
  return outline;
}

/** `sizeBytes` is null for a directory. */
interface Entry {
  path: string;
  sizeBytes: number | null;
}

function formatTree(root: string, outline: MemoryOutline, out: Output): string {
  const { files } = outline;
  const directories = outline.directories.filter((path) => path !== root);
  const entries: Entry[] = [...files, ...directories.map((path) => ({ path, sizeBytes: null }))];
  const children = groupBy(
    entries.filter(({ path }) => path !== root),
    ({ path }) => getParent(path),
  );
  const lines = [out.style("blue", out.foreign(root)), ...formatBranches(root, children, "", out)];
  const counts = [
    countText(directories.length, "directory"),
    countText(files.length, "file"),
    countText(sumBytes(files), "byte"),
  ];
  return `${lines.join("\n")}\n\n${counts.join(", ")}\n`;
}

function formatBranches(
  directory: string,
  children: ReadonlyMap<string, Entry[]>,
  indent: string,
  out: Output,
): string[] {
  const entries = (children.get(directory) ?? []).toSorted(comparePaths);
  return entries.flatMap(({ path, sizeBytes }, index) => {
    const isLast = index === entries.length - 1;
    const name = out.foreign(getName(path));
    const branch = `${indent}${isLast ? "└── " : "├── "}`;
    if (sizeBytes !== null) return [`${branch}${name}  ${out.style("dim", `(${numberText(sizeBytes)})`)}`];
    const below = formatBranches(path, children, `${indent}${isLast ? "    " : "│   "}`, out);
    return [`${branch}${out.style("blue", `${name}/`)}`, ...below];
  });
}
