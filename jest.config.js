import { ignoredHere } from "./other-systems.config.js";

/** @type {import("jest").Config} */
export default {
  testEnvironment: "<rootDir>/__tests__/helpers/environment.js",
  testMatch: ["<rootDir>/__tests__/**/*.test.ts"],
  // In `npm run test:long` only: what the official store lacks, which is no part of this package, and the development
  // server of LangGraph, each start of which takes seconds. The example of the server runs on both stores each time.
  testPathIgnorePatterns: [
    ...ignoredHere,
    ...(process.env.LONG_TESTS === "1" ? [] : ["/store-official\\.test\\.ts$", "/graph/server\\.test\\.ts$"]),
  ],
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
  globalSetup: "<rootDir>/__tests__/helpers/global-setup.js",
  globalTeardown: "<rootDir>/__tests__/helpers/global-teardown.js",
  testSequencer: "<rootDir>/__tests__/helpers/slow-first.js",
  reporters: ["default", "<rootDir>/__tests__/helpers/summary-reporter.js"],
  // Two more than the cores of the smallest machines: tests wait for servers and processes half of their time.
  maxWorkers: 4,
  // Node keeps the modules of each test file that is done. In a full worker, later files take many times as long.
  workerIdleMemoryLimit: "800MB",
  // Only what hangs takes so long, however busy the machine is.
  testTimeout: 600_000,
};
