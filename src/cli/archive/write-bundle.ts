import { addFilesTo } from "../../core/bulk.js";
import type { Report } from "../command.js";
import { about } from "../errors.js";
import type { OpenTarget } from "../targets/open-target.js";
import { countText } from "../terminal/format.js";

/**
 * Writes a memory into a folder as a bundle of the Open Knowledge Format, one file after another. After an interruption
 * the next run skips equal files.
 * @throws CommandError EEXIST for a file with another text, unless `overwrite` is set
 */
export async function writeBundle(source: OpenTarget, folder: OpenTarget, overwrite = false): Promise<Report> {
  const { createBundle } = await import("../../move-out/okf-bundle.js");
  const counts = { written: 0, unchanged: 0 };
  const now = new Date();
  const settings = { createdAt: now, updatedAt: now, ifExists: overwrite ? "replace" : "fail" } as const;
  await about(source.name, async () => {
    for await (const file of createBundle(source.memory)) {
      const [result] = await addFilesTo(folder.memory, [{ ...file, ...settings }]);
      if (result === "written" || result === "unchanged") counts[result] += 1;
      else
        await about(`${folder.name}: ${file.path}`, () => Promise.reject(result), {
          EEXIST: "name an empty folder, or pass --overwrite to replace files that have other contents",
        });
    }
  });
  const there = counts.unchanged > 0 ? `, ${countText(counts.unchanged, "file")} there already` : "";
  return {
    json: { format: "okf", ...counts },
    text: `exported 1 memory: ${countText(counts.written, "file")} written${there}\n`,
  };
}
