import { createReadStream, createWriteStream } from "node:fs";
import { execFile } from "node:child_process";
import { access, chmod, mkdir, mkdtemp, readFile, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { createBrotliDecompress } from "node:zlib";

const run = promisify(execFile);

/** A browser, and the environment variables that it needs. */
export interface Chromium {
  path: string;
  env: Record<string, string>;
}

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];

/**
 * Finds the browser that `CHROMIUM_PATH` names, or a browser on `PATH`, or the browser of the package
 * `@sparticuz/chromium`, unpacked once into the user's cache folder.
 */
export async function findChromium(): Promise<Chromium> {
  const given = process.env["CHROMIUM_PATH"];
  if (given !== undefined && given !== "") return { path: given, env: {} };
  for (const folder of (process.env["PATH"] ?? "").split(delimiter)) {
    for (const name of names)
      if (folder !== "" && (await exists(join(folder, name)))) return { path: join(folder, name), env: {} };
  }
  return unpacked();
}

/**
 * Unpacks the package, which contains the browser, its fonts, and the libraries that a machine without a desktop lacks.
 */
async function unpacked(): Promise<Chromium> {
  const bin = "node_modules/@sparticuz/chromium/bin";
  const { version } = JSON.parse(await readFile("node_modules/@sparticuz/chromium/package.json", "utf8")) as {
    version: string;
  };
  if (process.platform !== "linux" || process.arch !== "x64")
    throw new Error("The tests need Chromium: set CHROMIUM_PATH, or put it on PATH");
  const caches = join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "langgraph-mongo-memory");
  const folder = join(caches, `chromium-${version}`);
  if (!(await exists(folder))) {
    await mkdir(caches, { recursive: true });
    const work = await mkdtemp(join(caches, "unpacking-"));
    await unbrotli(join(bin, "chromium.br"), join(work, "chromium"));
    await chmod(join(work, "chromium"), 0o755);
    for (const archive of ["al2023", "fonts", "swiftshader"]) {
      await unbrotli(join(bin, `${archive}.tar.br`), join(work, `${archive}.tar`));
      await run("tar", ["-xf", join(work, `${archive}.tar`), "-C", work]);
      await rm(join(work, `${archive}.tar`));
    }
    // If two runs unpack at once, the first one wins.
    await rename(work, folder).catch(() => rm(work, { recursive: true, force: true }));
  }
  return {
    path: join(folder, "chromium"),
    env: { LD_LIBRARY_PATH: join(folder, "lib"), FONTCONFIG_PATH: join(folder, "fonts") },
  };
}

async function unbrotli(from: string, to: string): Promise<void> {
  await pipeline(createReadStream(from), createBrotliDecompress(), createWriteStream(to));
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
