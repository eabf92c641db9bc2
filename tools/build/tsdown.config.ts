import { defineConfig, type UserConfig } from "tsdown";
import { commandLineEntry, sdkPackages, sdkInCommandLine, smallCommandLine } from "./command-line.js";
import { bundledPackages, entrySources } from "./entries.js";
import { pageClient } from "./page-client.js";

const common = {
  // Not the folder of this file.
  cwd: process.cwd(),
  target: "es2022",
  platform: "node",
  fixedExtension: false,
  // Without a comment about each source file, which is 50 KB.
  inputOptions: { experimental: { attachDebugInfo: "none" } },
} as const;

/** With the entries of the packages, such as `hono/helper`. */
const deps = (packages: string[]) => ({
  alwaysBundle: packages.map((name) => new RegExp(`^${name}(?:/|$)`)),
  onlyBundle: packages,
});

/**
 * A file with a single other character takes the engine twice the memory, and longer to read. There are some in texts
 * and patterns only.
 */
const asciiOnly = {
  name: "ascii-only",
  /** Declarations are read by people, and by no engine. */
  renderChunk: (code: string, { fileName }: { fileName: string }): string | null =>
    /\.d\.c?ts$/.test(fileName)
      ? null
      : code.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`),
};

/**
 * Loads packages in CommonJS by `require`. Jest runs CommonJS without a flag, but no `import()`. The `try` tells bundlers
 * that the package may be missing.
 */
const requiredPackages = {
  name: "required-packages",
  renderChunk: (code: string, { fileName }: { fileName: string }): string | null =>
    fileName.endsWith(".cjs")
      ? code.replaceAll(
          /\bimport\((?:\s*\/\*.*?\*\/)*\s*([`"'])([^`"'$]+)\1\s*\)/g,
          (_, _quote, name: string) =>
            `(async()=>{try{return require(${JSON.stringify(name)})}catch(error){throw error}})()`,
        )
      : null,
};

/** Sources that become a file each, from the ground up: those below are not in the files above. */
const files: [name: string, sources: RegExp][] = [
  ["errors", /core\/values\/errors/],
  ["core", /core\/.*/],
  ["read-in-run", /langchain\/(?:langgraph-internals|read-in-run)/],
  ["tidy", /tidy\/.*/],
  ["dialects", /dialects\/(?:define-tool|dialect)/],
  ["unified", /dialects\/unified\/.*/],
  ["langchain", /langchain\/(?:dialect-tool|memory-source|memory-tool)/],
  // The command line uses these without the store, which needs LangGraph.
  ["mongodb", /mongodb\/(?!store|operations\/check).*/],
  ["store", /mongodb\/.*/],
  ["open-memory", /open-memory/],
  ["place", /prompt\/place/],
  ["prompt", /prompt\/.*/],
  ["graph", /graph\/.*/],
  ["template", /template\/.*/],
];

const library = {
  ...common,
  entry: { ...entrySources(), "missing-package": "src/mcp/missing-package.ts" },
  // A bundler keeps all of a file of which it keeps something, so `index` only passes on what other files hold.
  outputOptions: {
    // The declarations have them.
    comments: { jsdoc: false },
    codeSplitting: {
      groups: [
        ...files.map(([name, { source }]) => ({ name, test: new RegExp(`/src/${source}(?<!\\.d)\\.ts$`) })),
        { name: "mcp-sdk", test: /@modelcontextprotocol\/(?:core|server)\// },
      ],
    },
  },
} satisfies UserConfig;

const keepNames = { function: true, class: true };

export default defineConfig([
  // With the command line, which uses the files of the library.
  {
    ...library,
    plugins: [sdkInCommandLine, pageClient, smallCommandLine, asciiOnly],
    entry: { ...library.entry, ...commandLineEntry },
    deps: deps([...bundledPackages, ...sdkPackages]),
    copy: ["src/mcp/node-entry/*", "tools/build/THIRD-PARTY-LICENSES.md"],
    format: "esm",
    dts: { entry: Object.values(library.entry) },
    clean: true,
  },
  {
    ...library,
    plugins: [pageClient, asciiOnly, requiredPackages],
    deps: deps(bundledPackages),
    format: "cjs",
    dts: true,
    clean: false,
    // Few read or bundle these files. The names of functions and classes stay, for the traces of errors.
    outputOptions: {
      ...library.outputOptions,
      minify: { compress: { keepNames }, mangle: { keepNames }, codegen: { removeWhitespace: true } },
    },
  },
]);
