import { constants } from "node:fs";
import { access } from "node:fs/promises";
import type { Memory } from "../../../core/memory.js";
import { memoryDefaults } from "../../../core/memory-options.js";
import { MemoryError } from "../../../core/values/errors.js";
import { withFile } from "../../errors.js";
import { withTarget } from "../../targets/open-target.js";
import type { FolderTarget } from "../../targets/targets.js";
import { bytesText, countText } from "../../terminal/format.js";
import { type Check, fail, type Health, ok, warn } from "./health.js";

const maxExamples = 3;
const maxBytes = memoryDefaults.maxFileBytes;

/** Checks a folder without changing it. @throws CommandError EINPUT if there is no such folder */
export function checkFolder(target: FolderTarget, top: number): Promise<Health> {
  const { dir } = target;
  return withTarget(target, { access: "read" }, async ({ memory, name }) => {
    await withFile(`--dir ${dir}`, "read", () => access(dir, constants.R_OK));
    const { files, directories } = await memory.outline();
    const unreadable: string[] = [];
    for (const { path } of files) if (!(await canRead(memory, path))) unreadable.push(path);
    const tooLarge = files.filter(({ sizeBytes }) => sizeBytes > maxBytes).map(({ path }) => path);
    const totalBytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    const counts = `${countText(files.length, "file")} in ${countText(directories.length, "directory")}`;
    const sizes = `${counts}, ${bytesText(totalBytes)} bytes, none over ${bytesText(maxBytes)}`;
    return {
      target: dir,
      checks: [await checkAccess(dir, name), checkSizes(sizes, tooLarge), checkTexts(unreadable)],
      memories: 1,
      largest: top === 0 ? [] : [{ address: null, sizeBytes: totalBytes, limitBytes: null }],
    };
  });
}

async function canRead(memory: Memory, path: string): Promise<boolean> {
  try {
    await memory.read(path);
    return true;
  } catch (error) {
    if (!MemoryError.isInstance(error)) throw error;
    // ENOENT means that the file was deleted after it was listed.
    return error.code === "ENOENT";
  }
}

async function checkAccess(dir: string, folder: string): Promise<Check> {
  const name = "access";
  try {
    await access(dir, constants.W_OK);
    return ok(name, `${folder} can be read and written`);
  } catch {
    return warn(name, `${folder} cannot be written`, "give this user the right to, if the memory is to change");
  }
}

function checkSizes(sizes: string, tooLarge: string[]): Check {
  const name = "sizes";
  if (tooLarge.length === 0) return ok(name, sizes);
  const message = `over the limit of ${bytesText(maxBytes)} bytes a file: ${formatExamples(tooLarge)}`;
  return warn(name, message, "split them; they can be read and not be added to");
}

function checkTexts(unreadable: string[]): Check {
  const name = "texts";
  if (unreadable.length === 0) return ok(name, "every file is text that can be read");
  const advice = "see whether they are UTF-8 and may be read, or move them out of the folder";
  return fail(name, `cannot be read: ${formatExamples(unreadable)}`, advice);
}

function formatExamples(paths: string[]): string {
  const others = paths.length - maxExamples;
  return `${paths.slice(0, maxExamples).join(", ")}${others > 0 ? ` and ${others} more` : ""}`;
}
