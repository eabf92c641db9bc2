import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Returns the text of each file of the repository by its path, new files included. Leaves out what is not text. */
export async function readTrackedTexts(): Promise<Map<string, string>> {
  const list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const { stdout } = await run("git", list, { maxBuffer: 10_000_000 });
  const texts = new Map<string, string>();
  for (const path of new Set(stdout.split("\0").filter((each) => each !== ""))) {
    const text = await readFile(path, "utf8").catch(() => null);
    if (text !== null && !text.includes("\0") && !text.includes("\uFFFD")) texts.set(path, text);
  }
  return texts;
}
