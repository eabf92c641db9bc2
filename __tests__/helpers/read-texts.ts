import type { Memory } from "../../src/index.js";

/** The texts of a memory by their paths. */
export async function readTexts(memory: Pick<Memory, "snapshot">): Promise<Record<string, string>> {
  const { files } = await memory.snapshot();
  return Object.fromEntries(files.map(({ path, content }) => [path, content]));
}
