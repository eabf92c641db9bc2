import type { Command } from "commander";
import { directoryNotFound } from "../../core/values/errors.js";
import type { MemoryOutline, OutlineFile } from "../../core/memory.js";
import { normalizePath, parentOf, prefixOf, ROOT } from "../../core/values/paths.js";
import { compareCodeUnits } from "../../core/values/text.js";
import { newCommand } from "../command.js";
import { about } from "../fault.js";
import { bytesText, countText } from "../terminal/format.js";
import type { CliContext } from "../context.js";
import type { Output } from "../terminal/output.js";
import { addMountOption } from "../targets/mount-options.js";
import { withMemory } from "../targets/open-target.js";
import { addTargetOptions, type TargetOptions } from "../targets/target-options.js";

interface TreeOptions extends TargetOptions {
  json?: boolean;
}

/** `sizeBytes` is null for a directory. */
interface Entry {
  path: string;
  sizeBytes: number | null;
}

export function addTree(program: Command, context: CliContext): void {
  const command = newCommand(
    program,
    "tree [path]",
    "Show a memory, or a directory of it, as a tree with sizes in bytes.",
    ["tree --node assistant", "tree /notes --dir ./memory"],
  );
  addMountOption(addTargetOptions(command)).action(async (path: string | undefined, options: TreeOptions) => {
    await withMemory(context, options, "read", async ({ memory }) => {
      const root = await about(path ?? ROOT, async () => normalizePath(path ?? ROOT, { emptyIsRoot: true }));
      const outline = await about(root, async () => within(root, await memory.outline()));
      if (options.json) await context.out.json({ ok: true, path: root, ...outline });
      else await context.out.write(treeText(root, outline, context.out));
    });
  });
}

/** What lies at or below the path. @throws MemoryError ENOENT */
function within(
  root: string,
  { files, directories, revision }: MemoryOutline,
): { files: OutlineFile[]; directories: string[]; revision: number | null } {
  const isWithin = (path: string): boolean => path === root || path.startsWith(prefixOf(root));
  const found = {
    files: files.filter(({ path }) => isWithin(path)),
    directories: directories.filter(isWithin),
    revision,
  };
  if (root !== ROOT && found.files.length + found.directories.length === 0) throw directoryNotFound();
  return found;
}

function treeText(
  root: string,
  { files, directories }: Pick<MemoryOutline, "files" | "directories">,
  out: Output,
): string {
  const entries: Entry[] = [...files, ...directories.map((path) => ({ path, sizeBytes: null }))].filter(
    ({ path }) => path !== root,
  );
  const children = new Map<string, Entry[]>();
  for (const entry of entries) {
    const parent = parentOf(entry.path);
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [entry]);
    else siblings.push(entry);
  }
  const total = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const counts = `${countText(directories.filter((path) => path !== root).length, "directory")}, ${countText(files.length, "file")}`;
  return `${[out.style("blue", out.foreign(root)), ...branchLines(root, children, "", out)].join("\n")}\n\n${counts}, ${countText(total, "byte")}\n`;
}

function branchLines(directory: string, children: ReadonlyMap<string, Entry[]>, indent: string, out: Output): string[] {
  const entries = (children.get(directory) ?? []).toSorted((a, b) => compareCodeUnits(a.path, b.path));
  return entries.flatMap(({ path, sizeBytes }, index) => {
    const isLast = index === entries.length - 1;
    const name = out.foreign(path.slice(path.lastIndexOf("/") + 1));
    const shown =
      sizeBytes === null ? out.style("blue", `${name}/`) : `${name}  ${out.style("dim", `(${bytesText(sizeBytes)})`)}`;
    const below = sizeBytes === null ? branchLines(path, children, `${indent}${isLast ? "    " : "│   "}`, out) : [];
    return [`${indent}${isLast ? "└── " : "├── "}${shown}`, ...below];
  });
}
