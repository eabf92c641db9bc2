import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { build } from "esbuild";

/*
 * The packages that nearly every test loads, each as few files. Jest links and compiles every file anew for every test file, and these
 * have hundreds: a fifth of what the whole run took.
 */

/** ES modules that import each other are bundled together, so that each class exists once. */
const together = ["zod", "@langchain/core", "@langchain/langgraph-checkpoint", "@langchain/langgraph"];
const driver = "mongodb";

const lockFile = createHash("sha256").update(readFileSync("package-lock.json")).digest("hex").slice(0, 16);
const folder = resolve("node_modules/.cache", `langgraph-mongo-memory-packages-${lockFile}`);

/** For Jest's `moduleNameMapper`. */
export const bundledModules = {
  [`^${driver}$`]: join(folder, `${driver}.cjs`),
  [`^((?:${together.join("|")})(?:/.*)?)$`]: join(folder, "$1.mjs"),
};

/** Makes the files, unless a run before has, with the same versions of all packages. */
export default async function bundlePackages() {
  if (existsSync(folder)) return;
  await mkdir(dirname(folder), { recursive: true });
  const outdir = await mkdtemp(`${folder}-`);
  const common = { bundle: true, platform: "node", outdir, logLevel: "error" };
  const entries = Object.fromEntries(together.flatMap(entriesOf));
  // What CommonJS in them requires.
  const banner = { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' };
  await Promise.all([
    build({ ...common, entryPoints: { [driver]: `node_modules/${driver}/lib/index.js` }, format: "cjs", outExtension: { ".js": ".cjs" }, external: optionalOf(driver) }),
    build({ ...common, entryPoints: entries, format: "esm", splitting: true, outExtension: { ".js": ".mjs" }, banner }),
  ]);
  // Two runs at once may both have made it.
  await rename(outdir, folder).catch(() => rm(outdir, { recursive: true }));
}

function entriesOf(name) {
  return Object.entries(manifestOf(name).exports).flatMap(([path, target]) => {
    let file = target;
    while (typeof file === "object") file = file.import ?? file.default;
    return path.includes("*") || !/\.m?js$/.test(file) ? [] : [[join(name, path), join("node_modules", name, file)]];
  });
}

function optionalOf(name) {
  const { peerDependencies = {} } = manifestOf(name);
  return [...Object.keys(peerDependencies), "aws4"];
}

function manifestOf(name) {
  return JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8"));
}
