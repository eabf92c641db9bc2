import everything from "./jest.config.js";

const { globalSetup: _servers, globalTeardown: _ending, ...rest } = everything;

/**
 * The tests that need no database and no network.
 *
 * @type {import("jest").Config}
 */
export default { ...rest, testMatch: ["<rootDir>/__tests__/{unit,pins}/**/*.test.ts"] };
