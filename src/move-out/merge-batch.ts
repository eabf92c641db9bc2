import { addFilesTo, readFilesFrom } from "../core/bulk.js";
import type { Memory } from "../core/memory.js";
import type { DatedFile } from "../core/tree/add-files.js";
import { catchRefusal } from "../core/values/errors.js";
import { getCreationError } from "../core/values/paths.js";
import { hashSha256 } from "../core/values/sha256.js";
import { actAs, isBelowFile, listSteps, type MergeContext, type MergedFile } from "./merge-file.js";

/** The missing files that one author wrote. */
interface AuthoredFiles {
  memory: Memory;
  files: DatedFile[];
}

/**
 * Merges the files that need no other text: equal files, and missing files with one version. The missing files of each
 * author are one change.
 * @returns their results. A file is missing in it if it needs another text, or if another program has created it
 */
export async function mergeBatch(
  context: MergeContext,
  paths: readonly string[],
): Promise<Map<string, MergedFile["result"]>> {
  const { from, into, known, dryRun } = context;
  const texts = await readFilesFrom(from, paths);
  const present = await readFilesFrom(
    into,
    paths.filter((path) => known.get(path) === "file"),
  );
  const results = new Map<string, MergedFile["result"]>();
  const byAuthor = new Map<string, AuthoredFiles>();
  for (const [path, { content }] of texts) {
    if (present.get(path)?.content === content) results.set(path, "equal");
    if (known.has(path) || isBelowFile(context, path) || getCreationError(path, into.paths) !== null) continue;
    const [step, ...later] = listSteps(context, path, hashSha256(content));
    if (later.length > 0) continue;
    const author = JSON.stringify([step?.actor, step?.origin]);
    const { memory, files } = byAuthor.get(author) ?? { memory: actAs(into, step), files: [] };
    const now = new Date();
    files.push({ path, content, createdAt: now, updatedAt: now, ifExists: "fail" });
    byAuthor.set(author, { memory, files });
    if (dryRun) results.set(path, "created");
  }
  if (!dryRun)
    for (const { memory, files } of byAuthor.values())
      for (const [path, result] of await createFiles(memory, files)) results.set(path, result);
  for (const path of results.keys()) known.set(path, "file");
  return results;
}

async function createFiles(memory: Memory, files: readonly DatedFile[]): Promise<Map<string, "created" | "equal">> {
  const results = (await catchRefusal(addFilesTo(memory, files), "ECONFLICT")) ?? [];
  return new Map(
    files.flatMap(({ path }, index) => {
      const result = results[index];
      if (result !== "written" && result !== "unchanged") return [];
      return [[path, result === "written" ? "created" : "equal"] as const];
    }),
  );
}
