import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { applyPatch } from "diff";

const hasPatch = spawnSync("patch", ["--version"]).status === 0;

/**
 * Applies a unified diff to a text with the program `patch`, as people use it. In a container without it, uses the
 * package `diff`, which cannot judge itself but is better than nothing.
 * @param folder for the files
 */
export function patched(folder: string, text: string, diff: string): string | false {
  if (diff === "") return text;
  if (!hasPatch) return applyPatch(text, diff);
  const [before, after] = [join(folder, "before"), join(folder, "after")];
  writeFileSync(before, text);
  const { status } = spawnSync("patch", ["--binary", "--silent", "--force", `--output=${after}`, before], {
    input: diff,
  });
  return status === 0 && readFileSync(after, "utf8");
}
