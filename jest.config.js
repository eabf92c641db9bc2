/** @type {import("jest").Config} */
export default {
  testEnvironment: "<rootDir>/__tests__/helpers/environment.js",
  testMatch: ["<rootDir>/__tests__/**/*.test.ts"],
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
  // One more than the cores of the smallest machines: tests wait for servers and processes a third of their time.
  maxWorkers: 3,
  // Only what hangs takes so long, however busy the machine is.
  testTimeout: 600_000,
};
