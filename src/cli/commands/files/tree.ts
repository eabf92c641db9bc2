import type { Memory, MemoryOutline, OutlineFile } from "../../../core/memory.js";
import { directoryNotFound } from "../../../core/values/errors.js";
import { normalizePath, getParent, getPathPrefix, ROOT } from "../../../core/values/paths.js";
import { compareCodeUnits } from "../../../core/values/text.js";
import { groupBy } from "../../collections.js";
import { memoryCommand } from "../../memory-command.js";
import { readOptions } from "../../targets/target-options.js";
import { bytesText, countText } from "../../terminal/format.js";
import type { Output } from "../../terminal/output.js";

export const tree = memoryCommand<{ path?: string }>({
  usage: "tree [path]",
  description: "Show a memory, or a directory of it, as a tree with sizes in bytes.",
  examples: ["tree --node assistant", "tree /notes --dir ./memory"],
  options: readOptions,
  access: "read",
  run: async ({ memory }, { path = ROOT }, { out }) => {
    const root = normalizePath(path, { emptyIsRoot: true });
    const outline = await readOutline(memory, root);
    return { json: { path: root, ...outline }, text: formatTree(root, outline, out) };
  },
});

/** Reads everything at or below the path. @throws MemoryError ENOENT */
async function readOutline(
  memory: Memory,
  root: string,
): Promise<{ files: OutlineFile[]; directories: string[]; revision: number | null }> {
  const { files, directories, revision } = await memory.outline();
  const isWithin = (path: string): boolean => path === root || path.startsWith(getPathPrefix(root));
  const outline = {
    files: files.filter(({ path }) => isWithin(path)),
    directories: directories.filter(isWithin),
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

function formatTree(root: string, outline: Pick<MemoryOutline, "files" | "directories">, out: Output): string {
  const { files } = outline;
  const directories = outline.directories.filter((path) => path !== root);
  const entries: Entry[] = [...files, ...directories.map((path) => ({ path, sizeBytes: null }))];
  const children = groupBy(
    entries.filter(({ path }) => path !== root),
    ({ path }) => getParent(path),
  );
  const lines = [out.style("blue", out.foreign(root)), ...formatBranches(root, children, "", out)];
  const totalBytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const counts = [
    countText(directories.length, "directory"),
    countText(files.length, "file"),
    countText(totalBytes, "byte"),
  ];
  return `${lines.join("\n")}\n\n${counts.join(", ")}\n`;
}

function formatBranches(
  directory: string,
  children: ReadonlyMap<string, Entry[]>,
  indent: string,
  out: Output,
): string[] {
  const entries = (children.get(directory) ?? []).toSorted((a, b) => compareCodeUnits(a.path, b.path));
  return entries.flatMap(({ path, sizeBytes }, index) => {
    const isLast = index === entries.length - 1;
    const name = out.foreign(path.slice(path.lastIndexOf("/") + 1));
    const branch = `${indent}${isLast ? "└── " : "├── "}`;
    if (sizeBytes !== null) return [`${branch}${name}  ${out.style("dim", `(${bytesText(sizeBytes)})`)}`];
    const below = formatBranches(path, children, `${indent}${isLast ? "    " : "│   "}`, out);
    return [`${branch}${out.style("blue", `${name}/`)}`, ...below];
  });
}
