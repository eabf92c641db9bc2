import { defineConfig } from "tsdown";
import { bundledPackages, entrySources } from "./entries.config.js";
import { pageClient } from "./page-client.config.js";

const common = {
  target: "es2022",
  platform: "node",
  fixedExtension: false,
  deps: { alwaysBundle: bundledPackages, onlyBundle: bundledPackages },
  // Without a comment about each source file, which is 50 KB.
  inputOptions: { experimental: { attachDebugInfo: "none" } },
} as const;

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

const withoutWhitespace = { compress: false, mangle: false, codegen: { removeWhitespace: true } } as const;

/** Sources that become a file each, from the ground up: those below are not in the files above. */
const files: [name: string, sources: RegExp][] = [
  ["errors", /core\/values\/errors/],
  ["core", /core\/.*/],
  ["read-in-run", /langchain\/(?:langgraph-internals|read-in-run)/],
  ["langchain", /(?:langchain\/(?:dialect-tool|memory-source)|dialects\/(?:define-tool|dialect))/],
  ["unified", /(?:langchain\/memory-tool|dialects\/unified\/.*)/],
  ["mongodb", /mongodb\/.*/],
  ["open-memory", /open-memory/],
  ["prompt", /prompt\/.*/],
  ["graph", /graph\/.*/],
  ["template", /template\/.*/],
];

export default defineConfig([
  {
    ...common,
    plugins: [pageClient, asciiOnly],
    entry: { ...entrySources(), "missing-package": "src/mcp/missing-package.ts" },
    copy: "src/mcp/node-entry/*",
    format: ["esm", "cjs"],
    dts: true,
    clean: true,
    // A bundler keeps all of a file of which it keeps something, so `index` only passes on what other files hold.
    outputOptions: (options, format) => ({
      ...options,
      // The declarations have them.
      comments: { jsdoc: false },
      // Few read or bundle these files. Their names stay, for the traces of errors.
      minify: format === "cjs" && withoutWhitespace,
      codeSplitting: {
        groups: files.map(([name, { source }]) => ({ name, test: new RegExp(`/src/${source}(?<!\\.d)\\.ts$`) })),
      },
    }),
  },
  // A program, which nobody imports or reads. The names of its functions stay, for the traces of errors.
  {
    ...common,
    plugins: [pageClient],
    entry: { cli: "src/cli/main.ts" },
    format: "esm",
    dts: false,
    clean: false,
    outputOptions: {
      comments: { jsdoc: false },
      minify: { ...withoutWhitespace, compress: true, mangle: { keepNames: true } },
    },
  },
]);
