import { readFile, writeFile } from "node:fs/promises";
import { statedVersions, versionSource } from "./versions.js";

/*
 * npm runs this in `npm version`, after it has changed package.json and package-lock.json. It changes the other files that
 * state the version.
 */

const { npm_old_version: before = "", npm_new_version: after = "" } = process.env;
if (before === "" || after === "") throw new RangeError("run npm version <version> --no-git-tag-version");

const paths = new Set((await statedVersions()).map(({ path }) => path));
for (const path of paths) {
  if (path === "package.json" || path === "package-lock.json") continue;
  const text = await readFile(path, "utf8");
  const pattern = path === versionSource ? `packageVersion = "${before}"` : `"version": "${before}"`;
  await writeFile(
    path,
    text.replaceAll(
      pattern,
      pattern.replace(before, () => after),
    ),
  );
}
