import { minifySync } from "@swc/core";
import { readFile } from "node:fs/promises";
import { resolve, sep } from "node:path";
import type { Rolldown } from "tsdown";

/**
 * The command line is built together with the library and uses its files. It differs in one thing: it has the SDK of
 * MCP in itself, so that `npx langgraph-mongo-memory mcp` starts where nothing else is installed. Programs that import
 * `langgraph-mongo-memory/mcp` use the SDK that they have installed.
 */

/** The packages of the SDK. Their licences are in THIRD-PARTY-LICENSES.md. */
export const sdkPackages = ["@modelcontextprotocol/core", "@modelcontextprotocol/node", "@modelcontextprotocol/server"];

/** Packages that the files of the SDK already have in themselves. */
export const packagesInSdk = ["content-type"];

/** The entry of the command line. No other entry needs its own files. */
export const commandLineEntry = { cli: "src/cli/main.ts" };

const sdk = "@modelcontextprotocol/";
const mark = "?command-line";
const mcpFolder = resolve("src/mcp") + sep;
/** What the SDK takes from the platform: `process`, and a validator that is 200 kB and that nothing here needs. */
const platformOfSdk = `${sdk}server/_shims`;

/** Gives the command line its own copy of `src/mcp`, with the SDK in it. Leaves the SDK out of everything else. */
export const sdkInCommandLine: Rolldown.Plugin = {
  name: "sdk-in-command-line",
  resolveId: {
    order: "pre",
    async handler(source, importer, options) {
      if (importer === undefined) return null;
      if (!isOfCommandLine(importer)) return source.startsWith(sdk) ? { id: source, external: true } : null;
      if (source === platformOfSdk) return resolve("src/cli/platform-of-sdk.ts");
      if (source.startsWith(sdk)) return null;
      const found = await this.resolve(source, importer.replace(mark, ""), { ...options, skipSelf: true });
      return found?.id.startsWith(mcpFolder) ? { ...found, id: found.id + mark } : found;
    },
  },
  async load(id) {
    return id.endsWith(mark) ? { code: await readFile(id.slice(0, -mark.length), "utf8"), moduleType: "ts" } : null;
  },
};

function isOfCommandLine(file: string): boolean {
  const isOfSdk = file.replaceAll(sep, "/").includes(`/node_modules/${sdk}`);
  return isOfSdk || file.endsWith(mark) || file.startsWith(resolve("src/cli") + sep);
}

/**
 * Makes the files small that only the command line uses, or that have code of other packages alone: nobody imports or
 * reads them. The names of functions stay, for the traces of errors.
 */
export const smallCommandLine: Rolldown.Plugin = {
  name: "small-command-line",
  // Not in renderChunk: the bundler prints each chunk anew after that, with all white space.
  generateBundle(_options, bundle) {
    const chunks = Object.values(bundle).filter((file) => file.type === "chunk");
    const ofLibrary = filesOfLibrary(Object.fromEntries(chunks.map((chunk) => [chunk.fileName, chunk])));
    for (const chunk of chunks) {
      if (!chunk.fileName.endsWith(".js")) continue;
      const isForeign = chunk.moduleIds.every((id) => id.replaceAll(sep, "/").includes("/node_modules/"));
      if (isForeign || !ofLibrary.has(chunk.fileName)) chunk.code = minify(chunk.code);
    }
  },
};

function minify(code: string): string {
  const names = { keep_fnames: true, keep_classnames: true };
  return minifySync(code, {
    module: true,
    ecma: 2022,
    compress: { ...names, passes: 2 },
    mangle: { ...names, topLevel: true },
    format: { comments: false, ascii_only: true },
  }).code;
}

/** All files that an entry of the library needs, at once or later. */
function filesOfLibrary(chunks: Record<string, Rolldown.OutputChunk>): Set<string> {
  const found = new Set<string>();
  const add = (file: string): void => {
    if (found.has(file)) return;
    found.add(file);
    const { imports = [], dynamicImports = [] } = chunks[file] ?? {};
    for (const next of [...imports, ...dynamicImports]) add(next);
  };
  for (const { fileName, isEntry, name } of Object.values(chunks))
    if (isEntry && !(name in commandLineEntry)) add(fileName);
  return found;
}
