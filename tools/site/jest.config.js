import everything, { typescript } from "../../jest.config.js";

/**
 * The tests of the built site, in a browser. They are no part of `npm test`.
 *
 * @type {import("jest").Config}
 */
export default {
  ...typescript,
  rootDir: "../..",
  testEnvironment: "node",
  testMatch: ["<rootDir>/tools/site/__tests__/**/*.test.ts"],
  reporters: everything.reporters,
  testTimeout: everything.testTimeout,
  // Two cores: a browser and a test file each.
  maxWorkers: 2,
};
