import { existsSync, statSync } from "node:fs";
import { writeApi } from "./build/api.js";
import { clearPages, preparePages } from "./build/prepare.js";
import { run } from "./build/run-command.js";

/**
 * `npm run site` builds the documentation site into `site/dist` and shows it. `npm run site -- --build` only builds.
 * `SITE_BASE` is the path below which the site will be served, by default "/".
 */
const base = process.env["SITE_BASE"] ?? "/";
const vitepress = "site/node_modules/vitepress/bin/vitepress.js";

if (!/^\/(?:.*\/)?$/.test(base)) throw new Error(`SITE_BASE begins and ends with "/", but is "${base}"`);

await installPackages();
clearPages();
await writeApi();
preparePages(base);
await run("node", [vitepress, "build", "site"], { env: { ...process.env, SITE_BASE: base } });
if (!process.argv.includes("--build")) {
  console.log(`The site is at http://localhost:4173${base}. Ctrl-C ends it.`);
  await run("node", [vitepress, "preview", "site", "--port", "4173"], { env: { ...process.env, SITE_BASE: base } });
}

/** Installs what the site alone needs, unless the lock has not changed since the last time. */
async function installPackages(): Promise<void> {
  const installed = "site/node_modules/.package-lock.json";
  if (existsSync(installed) && statSync(installed).mtimeMs > statSync("site/package-lock.json").mtimeMs) return;
  await run("npm", ["ci"], { cwd: "site" });
}
