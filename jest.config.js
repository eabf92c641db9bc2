/**
 * Tests that cannot run on other systems than Linux, and why. A pattern is a part of the path of a test file.
 *
 * @type {readonly { files: string; not: readonly NodeJS.Platform[]; reason: string }[]}
 */
const elsewhere = [
  {
    files: "unit/backends/folder/any-names",
    not: ["darwin", "win32"],
    reason: "makes names that only a file system of plain bytes can hold",
  },
  { files: "unit/backends/folder/bare-names", not: ["darwin", "win32"], reason: "makes a name that is not UTF-8" },
  {
    files: "integration/folder/exchanged-directories",
    not: ["darwin", "win32"],
    reason: "only Linux has names below handles of directories",
  },
  {
    files: "unit/backends/folder/links",
    not: ["win32"],
    reason:
      "makes pipes, and links without a kind. Windows has no modes and owners of files, and does not tell a file from a missing folder",
  },
  {
    files: "unit/backends/folder/without-handles",
    not: ["win32"],
    reason: "renames a folder in which a file is open, which Windows refuses",
  },
  {
    files: "integration/folder/(?:concurrency|crash)",
    not: ["win32"],
    reason: "nobody has tried several processes on Windows, which refuses to replace a file that another one has open",
  },
];

const ignoredHere = elsewhere
  .filter(({ not }) => not.includes(process.platform))
  .map(({ files }) => `${files}\\.test\\.ts$`.replaceAll("/", "[/\\\\]"));

/**
 * Tests of `npm run test:repeated` only: a fuzz run, what the official store lacks, the development server of LangGraph,
 * each start of which takes seconds, and whether the pictures of the documentation are up to date.
 */
const longOnly = ["fuzz", "store-official", "graph/server", "page/pictures", "traces/pictures"].map(
  (name) => `/${name}\\.test\\.ts$`,
);

/** What the tests of the site use, too. */
export const typescript = {
  extensionsToTreatAsEsm: [".ts"],
  moduleNameMapper: { "^(\\.{1,2}/.*)\\.js$": "$1" },
  transform: {
    "^.+\\.ts$": [
      "@swc/jest",
      {
        jsc: { parser: { syntax: "typescript" }, target: "es2022" },
        module: { type: "es6" },
        sourceMaps: "inline",
      },
    ],
  },
};

const common = {
  ...typescript,
  testEnvironment: "<rootDir>/__tests__/helpers/environment.js",
  testPathIgnorePatterns: [...ignoredHere, ...(process.env.LONG_TESTS === "1" ? [] : longOnly)],
  globalTeardown: "<rootDir>/__tests__/helpers/global-teardown.js",
};

/**
 * A run prepares only what the projects of its tests need: `unit` nothing, `folder` the programs that tests start, and
 * `database` also servers.
 *
 * @type {import("jest").Config}
 */
export default {
  projects: [
    { ...common, displayName: "unit", testMatch: ["<rootDir>/__tests__/{unit,pins}/**/*.test.ts"] },
    {
      ...common,
      displayName: "folder",
      testMatch: [
        "<rootDir>/__tests__/integration/folder/**/*.test.ts",
        "<rootDir>/__tests__/conformance/folder.test.ts",
      ],
      globalSetup: "<rootDir>/__tests__/helpers/compile-programs.js",
    },
    {
      ...common,
      displayName: "database",
      testMatch: ["<rootDir>/__tests__/{integration,conformance}/**/*.test.ts"],
      testPathIgnorePatterns: [...common.testPathIgnorePatterns, "/integration/folder/", "/conformance/folder\\."],
      globalSetup: "<rootDir>/__tests__/helpers/start-servers.js",
    },
  ],
  testSequencer: "<rootDir>/__tests__/helpers/slow-first.js",
  reporters: ["default", "<rootDir>/__tests__/helpers/summary-reporter.js"],
  // Two more than the cores of the smallest machines: tests wait for servers and processes half of their time.
  maxWorkers: 4,
  // Node keeps the modules of each test file that is done. With less, to start workers takes longer than to collect garbage.
  workerIdleMemoryLimit: "800MB",
  // Only what hangs takes so long, however busy the machine is.
  testTimeout: 600_000,
};
