import everything from "./jest.config.js";

/**
 * The tests of a memory in a folder and of the command line on one, which need no database. CI runs them on macOS and
 * Windows. `other-systems.config.js` says what each of them leaves out.
 *
 * @type {import("jest").Config}
 */
export default {
  ...everything,
  testMatch: [
    "<rootDir>/__tests__/unit/backends/folder/**/*.test.ts",
    "<rootDir>/__tests__/integration/folder/**/*.test.ts",
    "<rootDir>/__tests__/conformance/folder.test.ts",
  ],
  globalSetup: "<rootDir>/__tests__/helpers/compile-programs.js",
};
