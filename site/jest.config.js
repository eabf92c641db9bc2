import project from "../jest.config.js";

/**
 * The tests of the built site, in a browser. They are no part of `npm test`.
 *
 * @type {import("jest").Config}
 */
export default {
  rootDir: "..",
  testEnvironment: "node",
  testMatch: ["<rootDir>/site/__tests__/**/*.test.ts"],
  extensionsToTreatAsEsm: project.extensionsToTreatAsEsm,
  moduleNameMapper: project.moduleNameMapper,
  transform: project.transform,
  reporters: project.reporters,
  testTimeout: project.testTimeout,
  // Two cores: a browser and a test file each.
  maxWorkers: 2,
};
