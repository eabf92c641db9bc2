import { writeFile } from "node:fs/promises";
import { readTrackedTexts } from "./tracked-files.js";
import { statedVersions, versionSource } from "./versions.js";

/*
 * npm runs this in `npm version`, after it has changed package.json and package-lock.json. It changes the other files that
 * state the version, and JSON files that start exactly this version.
 */

const { npm_old_version: before = "", npm_new_version: after = "" } = process.env;
if (before === "" || after === "") throw new RangeError("run npm version <version> --no-git-tag-version");

const texts = await readTrackedTexts();
const stating = new Set(statedVersions(texts).map(({ path }) => path));
for (const [path, text] of texts) {
  if (path === "package.json" || path === "package-lock.json") continue;
  const forms: string[] = [];
  if (path === versionSource) forms.push(`packageVersion = "${before}"`);
  else if (stating.has(path)) forms.push(`"version": "${before}"`);
  if (path.endsWith(".json")) forms.push(`langgraph-mongo-memory@${before}`);
  const changed = forms.reduce(
    (all, form) =>
      all.replaceAll(
        form,
        form.replace(before, () => after),
      ),
    text,
  );
  if (changed !== text) await writeFile(path, changed);
}
