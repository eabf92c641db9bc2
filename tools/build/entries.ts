import { existsSync, readFileSync } from "node:fs";

/** Where the source of an entry may be, as the `paths` of tsconfig.json have it too. */
const places = [
  "src/*.ts",
  "src/*/index.ts",
  "src/custom-*/index.ts",
  "src/langchain/*/index.ts",
  "src/backends/*/index.ts",
];

/**
 * Packages that become part of `dist`. Only small parts of `diff` and `hono` are used, and the whole packages would be
 * most of an installation. The command line alone uses `commander`, which takes a fifth of its space there. `stemmer` is
 * only an ES module, which programs in CommonJS and their tests may be unable to load. THIRD-PARTY-LICENSES.md has the
 * licences.
 */
export const bundledPackages = ["@hono/node-server", "commander", "diff", "hono", "stemmer"];

/** The source file of each entry that package.json exports, by its name: `index` for ".", `claude` for "./claude". */
export function entrySources(): Record<string, string> {
  const { exports } = JSON.parse(readFileSync("package.json", "utf8")) as { exports: Record<string, unknown> };
  const paths = Object.keys(exports).filter((path) => path !== "./package.json");
  const names = paths.map((path) => (path === "." ? "index" : path.slice(2)));
  return Object.fromEntries(names.map((name) => [name, sourceOf(name)]));
}

function sourceOf(name: string): string {
  const source = places.map((place) => place.replace("*", name)).find((file) => existsSync(file));
  if (source === undefined)
    throw new Error(`package.json exports ./${name}, whose source is none of ${places.join(", ")}`);
  return source;
}
