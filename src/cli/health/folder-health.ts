import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { MemoryError } from "../../core/values/errors.js";
import type { Memory } from "../../core/memory.js";
import { memoryDefaults } from "../../core/memory-options.js";
import type { PathRule } from "../../core/values/paths.js";
import { withFile } from "../fault.js";
import { bytesText, countText } from "../terminal/format.js";
import { withTarget } from "../targets/open-target.js";
import type { Check, Health } from "./health.js";

const maxExamples = 3;
const maxBytes = memoryDefaults.maxFileBytes;

/** Reads, and changes nothing. @throws CommandFault EINPUT where there is no such folder */
export function checkFolder({ dir, paths }: { dir: string; paths: PathRule }, top: number): Promise<Health> {
  return withTarget({ kind: "folder", dir, paths }, "read", async ({ memory, name }) => {
    await withFile(`--dir ${dir}`, "read", () => access(dir, constants.R_OK));
    const writable = await access(dir, constants.W_OK).then(
      () => true,
      () => false,
    );
    const { files, directories } = await memory.outline();
    const unreadable: string[] = [];
    for (const { path } of files) if (!(await canRead(memory, path))) unreadable.push(path);
    const tooLarge = files.filter(({ sizeBytes }) => sizeBytes > maxBytes).map(({ path }) => path);
    const total = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    const largest = top === 0 ? [] : [{ address: null, sizeBytes: total, limitBytes: null }];
    const sizes = sizeCheck(files.length, directories.length, total, tooLarge);
    return { target: dir, checks: [accessCheck(name, writable), sizes, textCheck(unreadable)], memories: 1, largest };
  });
}

async function canRead(memory: Memory, path: string): Promise<boolean> {
  try {
    await memory.read(path);
    return true;
  } catch (error) {
    if (!MemoryError.isInstance(error)) throw error;
    // Gone since it was listed.
    return error.code === "ENOENT";
  }
}

function accessCheck(folder: string, writable: boolean): Check {
  const name = "access";
  if (writable) return { name, status: "ok", message: `${folder} can be read and written` };
  return {
    name,
    status: "warn",
    message: `${folder} cannot be written`,
    advice: "give this user the right to, if the memory is to change",
  };
}

function sizeCheck(files: number, directories: number, total: number, tooLarge: string[]): Check {
  const name = "sizes";
  if (tooLarge.length === 0) {
    const counts = `${countText(files, "file")} in ${countText(directories, "directory")}`;
    return { name, status: "ok", message: `${counts}, ${bytesText(total)} bytes, none over ${bytesText(maxBytes)}` };
  }
  const message = `over the limit of ${bytesText(maxBytes)} bytes a file: ${exampleText(tooLarge)}`;
  return { name, status: "warn", message, advice: "split them; they can be read and not be added to" };
}

function textCheck(unreadable: string[]): Check {
  const name = "texts";
  if (unreadable.length === 0) return { name, status: "ok", message: "every file is text that can be read" };
  const advice = "see whether they are UTF-8 and may be read, or move them out of the folder";
  return { name, status: "fail", message: `cannot be read: ${exampleText(unreadable)}`, advice };
}

function exampleText(paths: string[]): string {
  const others = paths.length - maxExamples;
  return `${paths.slice(0, maxExamples).join(", ")}${others > 0 ? ` and ${others} more` : ""}`;
}
