import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** Returns the text of the licence of an installed package. @throws Error if the package has none */
export async function readLicence(packageName: string): Promise<string> {
  const folder = join("node_modules", packageName);
  const file = (await readdir(folder)).find((name) => /^licen[cs]e(?:\.(?:md|txt))?$/i.test(name));
  if (file === undefined) throw new Error(`${folder} has no licence`);
  return (await readFile(join(folder, file), "utf8")).trim();
}
