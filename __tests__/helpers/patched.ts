import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { applyPatch } from "diff";

const hasPatch = spawnSync("patch", ["--version"]).status === 0;

/**
 * A text after a unified diff, by the program `patch`, as people use it. In a container without it by `diff`, which is
 * no judge of itself but better than none.
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
