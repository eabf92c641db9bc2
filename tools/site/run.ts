import { existsSync, statSync } from "node:fs";
import { writeApi } from "./build/api.js";
import { clearPages, preparePages } from "./build/prepare.js";
import { run } from "./build/run-command.js";

/**
 * `npm run site` builds the documentation site into `tools/site/dist` and shows it. `-- --build` only builds, and `-- --check`
 * builds and tests. `SITE_BASE` is the path below which the site will be served, by default "/".
 */
const isCheck = process.argv.includes("--check");
// Tested below a path, as on GitHub Pages: an address that forgets the path is found so.
const base = process.env["SITE_BASE"] ?? (isCheck ? "/langgraph-mongo-memory/" : "/");
const env = { ...process.env, SITE_BASE: base };
const vitepress = "tools/site/node_modules/vitepress/bin/vitepress.js";
const jest = "--disable-warning=ExperimentalWarning --experimental-vm-modules node_modules/jest/bin/jest.js";

if (!/^\/(?:.*\/)?$/.test(base)) throw new Error(`SITE_BASE begins and ends with "/", but is "${base}"`);

await installPackages();
if (isCheck) await run("node", ["node_modules/typescript-7/bin/tsc", "--noEmit", "-p", "tools/site"]);
clearPages();
await writeApi();
preparePages(base);
await run("node", [vitepress, "build", "tools/site"], { env });
if (isCheck) {
  const tests = [...jest.split(" "), "--config", "tools/site/jest.config.js"];
  // The last line is that of the tests.
  await run("node", tests, { env }).catch(() => (process.exitCode = 1));
} else if (!process.argv.includes("--build")) {
  // Prints the address.
  await run("node", [vitepress, "preview", "tools/site", "--port", "4173"], { env });
}

/** Installs what the site alone needs, unless the lock has not changed since the last time. */
async function installPackages(): Promise<void> {
  const installed = "tools/site/node_modules/.package-lock.json";
  if (existsSync(installed) && statSync(installed).mtimeMs > statSync("tools/site/package-lock.json").mtimeMs) return;
  // On Windows npm is a script, which needs a shell.
  await run("npm", ["ci"], { cwd: "tools/site", shell: process.platform === "win32" });
}
