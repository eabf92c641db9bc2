import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { compare, type Comparison, type Sample } from "../measuring/measure.js";
import { entryOf } from "./built-package.js";

const runFile = promisify(execFile);

export interface ImportResult extends Comparison {
  runs: number;
  /** What the package's index imports, which is the other side. */
  peers: string[];
}

/** The built index against all that it imports from elsewhere, each in a fresh process, in turns. */
export async function measureImport(runs: number): Promise<ImportResult> {
  const index = entryOf("index");
  const peers = await importsOf(index);
  const samples: Sample[] = [];
  for (let run = -1; run < runs; run += 1) {
    const importOurs = () => importTimes([index.href]);
    const importPeers = () => importTimes(peers);
    const isEven = run % 2 === 0;
    const { wallMs: first } = await (isEven ? importOurs() : importPeers());
    const { wallMs: second } = await (isEven ? importPeers() : importOurs());
    if (run >= 0) samples.push(isEven ? { oursMs: first, theirsMs: second } : { oursMs: second, theirsMs: first });
  }
  return { ...compare(samples), runs, peers };
}

/** In a fresh process. @param project the folder from which the specifiers resolve */
export async function importTimes(
  specifiers: string[],
  project: string = import.meta.dirname,
): Promise<{ wallMs: number; processorMs: number }> {
  const imports = specifiers.map((specifier) => `import(${JSON.stringify(specifier)})`);
  const script = `
    const [start, used] = [performance.now(), process.cpuUsage()];
    await Promise.all([${imports.join()}]);
    const [wallMs, { user, system }] = [performance.now() - start, process.cpuUsage(used)];
    console.log(JSON.stringify({ wallMs, processorMs: (user + system) / 1_000 }));`;
  const { stdout } = await runFile(process.execPath, ["--input-type=module", "--eval", script], { cwd: project });
  return JSON.parse(stdout) as { wallMs: number; processorMs: number };
}

/** Packages that a built file and the chunks it is split into import at once. */
async function importsOf(entry: URL): Promise<string[]> {
  const source = await readFile(fileURLToPath(entry), "utf8");
  const specifiers = [...source.matchAll(/^(?:import|export)\s(?:[^"']*\sfrom\s)?["']([^"']+)["']/gm)].map(
    ([, name = ""]) => name,
  );
  const chunks = specifiers.filter((name) => name.startsWith("."));
  const packages = specifiers.filter((name) => !name.startsWith(".") && !name.startsWith("node:"));
  const below = await Promise.all(chunks.map((chunk) => importsOf(new URL(chunk, entry))));
  return [...new Set([...packages, ...below.flat()])].toSorted();
}
