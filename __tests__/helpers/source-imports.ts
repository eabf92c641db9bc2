import { execFile } from "node:child_process";
import { promisify } from "node:util";

export interface SourceImport {
  /** The importing file, such as `src/core/paths.ts`. */
  from: string;
  /** A file under `src`, or a package's name. */
  to: string;
}

interface Cruise {
  modules: { source: string; dependencies: { module: string; resolved: string; couldNotResolve: boolean }[] }[];
}

/** Programs for dist, whose imports are files of dist. */
const builtBeside = "^src/mcp/node-entry/";

/** Every import of the sources, type-only, dynamic and re-exporting ones included. */
export async function sourceImports(): Promise<SourceImport[]> {
  const command = "node_modules/dependency-cruiser/bin/dependency-cruise.mjs";
  const options = ["--no-config", "--ts-pre-compilation-deps", "--do-not-follow", "node_modules", "--exclude", builtBeside];
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [command, "src", ...options, "--output-type", "json"],
    { maxBuffer: 64 * 1024 * 1024 },
  );
  const { modules } = JSON.parse(stdout) as Cruise;
  return modules
    .filter(({ source }) => source.startsWith("src/"))
    .flatMap(({ source, dependencies }) =>
      dependencies.map((dependency) => ({ from: source, to: targetOf(source, dependency) })),
    );
}

function targetOf(source: string, dependency: Cruise["modules"][number]["dependencies"][number]): string {
  if (dependency.resolved.startsWith("src/")) return dependency.resolved;
  if (dependency.module.startsWith(".")) throw new Error(`${source} imports ${dependency.module}, which is not there`);
  return packageOf(dependency.module);
}

function packageOf(specifier: string): string {
  const parts = specifier.split("/");
  return parts.slice(0, specifier.startsWith("@") ? 2 : 1).join("/");
}
