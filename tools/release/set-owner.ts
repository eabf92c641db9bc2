import { readFile, writeFile } from "node:fs/promises";
import { checkOwner, ownerOf, withOwner } from "./owner.js";
import { readTrackedTexts } from "./tracked-files.js";

/*
 * `npm run set-owner -- acme` writes the owner's name on GitHub into every file that holds an address of the repository.
 * The present owner is read from `repository.url` of package.json.
 */

const owner = checkOwner(process.argv[2] ?? "");
const present = ownerOf(JSON.parse(await readFile("package.json", "utf8")) as object);
for (const [path, text] of await readTrackedTexts()) {
  const changed = withOwner(text, present, owner);
  if (changed === text) continue;
  await writeFile(path, changed);
  console.log(`${path}: ${present} is now ${owner}`);
}
