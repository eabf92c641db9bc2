import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { pack, sizeOfFolder } from "../../__tests__/helpers/packed-package.js";
import { row, tableHead } from "../measuring/table.js";
import { bundleSizes } from "./bundles.js";
import { type ImportTime, importTimesIn } from "./imports.js";

const run = promisify(execFile);

interface Manifest {
  version: string;
  exports: Record<string, unknown>;
  peerDependencies: Record<string, string>;
  peerDependenciesMeta: Record<string, { optional?: boolean }>;
}

interface Installed {
  packages: number;
  sizeBytes: number;
}

export interface WeightReport {
  report: string;
  /** The result in one cell. */
  summary: string;
}

/**
 * What the package adds to a project that has its peers, to a bundle, and to the start of a program.
 * @param runs processes that measure each import
 */
export async function measureWeight(runs: number): Promise<WeightReport> {
  const folder = await mkdtemp(join(tmpdir(), "weight-"));
  try {
    const {
      version,
      exports,
      peerDependencies: peers,
      peerDependenciesMeta,
    } = JSON.parse(await readFile("package.json", "utf8")) as Manifest;
    const required = Object.fromEntries(
      Object.entries(peers).filter(([name]) => peerDependenciesMeta[name]?.optional !== true),
    );
    const own = { "langgraph-mongo-memory": `file:${await pack(folder)}` };
    const mcp = Object.fromEntries(Object.entries(peers).filter(([name]) => name.startsWith("@modelcontextprotocol/")));
    const beside = await installed(join(folder, "peers"), required);
    const [alone, withMcp] = [
      difference(await installed(join(folder, "alone"), { ...required, ...own }), beside),
      difference(await installed(join(folder, "mcp"), { ...required, ...own, ...mcp }), beside),
    ];
    const bundles = await bundleSizes();
    const entries = Object.keys(exports).filter((path) => path !== "./package.json");
    const imports = await importTimesIn(
      join(folder, "alone"),
      entries.map((path) => `langgraph-mongo-memory${path.slice(1)}`),
      runs,
    );
    const report = [
      "## Measured",
      "",
      `${new Date().toISOString().slice(0, 10)}: node ${process.versions.node}, this package ${version}.`,
      "",
      ...tableHead(["installed beside the required peers", "packages", "MB"]),
      row(["the package", String(alone.packages), megabytes(alone)]),
      row(["the package and the SDK of MCP, which is optional", String(withMcp.packages), megabytes(withMcp)]),
      "",
      ...tableHead(["imported", "kB of a bundle"]),
      ...bundles.map(({ imported, sizeBytes }) => row([imported, (sizeBytes / 1000).toFixed(1)])),
      "",
      ...tableHead(["imported in a fresh process", "ms"]),
      ...imports.map((one) => row([`\`${one.specifier}\``, importCell(one)])),
      "",
    ];
    const least = ((bundles[0]?.sizeBytes ?? Number.NaN) / 1000).toFixed(1);
    const whole = imports[0] === undefined ? "" : importCell(imports[0]);
    const langGraph = imports.at(-1);
    const summary =
      `${alone.packages} packages, ${megabytes(alone)} MB; one class in a bundle: ${least} kB; ` +
      `import: ${whole} ms, of LangGraph alone ${langGraph === undefined ? "" : importCell(langGraph)} ms`;
    return { report: report.join("\n"), summary };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function installed(project: string, dependencies: Record<string, string>): Promise<Installed> {
  await mkdir(project);
  await writeFile(join(project, "package.json"), JSON.stringify({ private: true, dependencies }));
  await run("npm", ["install", "--no-audit", "--no-fund", "--prefer-offline"], { cwd: project });
  const { stdout } = await run("npm", ["ls", "--all", "--parseable"], { cwd: project });
  const folders = new Set(
    stdout
      .trim()
      .split("\n")
      .filter((path) => path.includes("node_modules")),
  );
  return { packages: folders.size, sizeBytes: await sizeOfFolder(join(project, "node_modules")) };
}

const difference = (one: Installed, other: Installed): Installed => ({
  packages: one.packages - other.packages,
  sizeBytes: one.sizeBytes - other.sizeBytes,
});

const megabytes = ({ sizeBytes }: Installed): string => (sizeBytes / 1_000_000).toFixed(1);

const importCell = ({ outcome }: ImportTime): string =>
  "missing" in outcome ? `needs \`${outcome.missing}\`` : outcome.wallMs.toFixed(0);
