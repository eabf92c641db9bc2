import type { Command } from "commander";
import { MemoryError } from "../../core/values/errors.js";
import type { Memory, MemoryEntry, MemoryStat } from "../../core/memory.js";
import { normalizePath, prefixOf, ROOT } from "../../core/values/paths.js";
import { newCommand } from "../command.js";
import { about } from "../fault.js";
import { bytesText } from "../terminal/format.js";
import type { CliContext } from "../context.js";
import { addMountOption } from "../targets/mount-options.js";
import { withMemory } from "../targets/open-target.js";
import { addTargetOptions, type TargetOptions } from "../targets/target-options.js";

interface LsOptions extends TargetOptions {
  long?: boolean;
  json?: boolean;
}

type Row = MemoryEntry & Partial<Pick<MemoryStat, "sizeBytes" | "createdAt" | "updatedAt">>;

export function addLs(program: Command, context: CliContext): void {
  const command = newCommand(program, "ls [path]", "List a directory of a memory, or one file.", [
    "ls --node assistant",
    "ls /notes -l --node assistant --user ada@example.com",
    "ls --dir ./memory --json",
  ]).option("-l, --long", "show sizes in bytes and times of the last change");
  addMountOption(addTargetOptions(command)).action(async (path: string | undefined, options: LsOptions) => {
    await withMemory(context, options, "read", async ({ memory }) => {
      const rows = await about(path ?? ROOT, () => readRows(memory, path ?? ROOT, options.long === true));
      if (options.json)
        await context.out.json({ ok: true, path: normalizePath(path ?? ROOT, { emptyIsRoot: true }), entries: rows });
      else for (const row of rows) await context.out.line(rowLine(row, context, options.long === true));
    });
  });
}

async function readRows(memory: Memory, path: string, long: boolean): Promise<Row[]> {
  const { entries, prefix } = await listEntries(memory, path);
  if (!long) return entries;
  const rows = entries.map(async (entry): Promise<Row[]> => {
    const stat = await memory.stat(prefix + entry.name);
    // Null where it has gone since it was listed.
    return stat === null
      ? []
      : [{ ...entry, sizeBytes: stat.sizeBytes, createdAt: stat.createdAt, updatedAt: stat.updatedAt }];
  });
  return (await Promise.all(rows)).flat();
}

/** For a file, that file alone, like any `ls`. */
async function listEntries(memory: Memory, path: string): Promise<{ entries: MemoryEntry[]; prefix: string }> {
  const normal = normalizePath(path, { emptyIsRoot: true });
  try {
    return { entries: await memory.list(path), prefix: prefixOf(normal) };
  } catch (error) {
    if (!MemoryError.isInstance(error) || error.code !== "ENOTDIR") throw error;
    const start = normal.lastIndexOf("/") + 1;
    return { entries: [{ name: normal.slice(start), kind: "file" }], prefix: normal.slice(0, start) };
  }
}

function rowLine({ name, kind, sizeBytes, updatedAt }: Row, { out }: CliContext, long: boolean): string {
  const shown = kind === "dir" ? out.style("blue", `${out.foreign(name)}/`) : out.foreign(name);
  if (!long) return shown;
  const time = updatedAt?.toISOString() ?? "-";
  return `${bytesText(sizeBytes ?? 0).padStart(10)}  ${time.padEnd(24)}  ${shown}`;
}
