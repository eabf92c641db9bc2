import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "@jest/globals";
import { testDatabase } from "../helpers/test-database.js";

const { uri, name } = testDatabase();

it("runs in jest without a flag where a program is CommonJS", async () => {
  const rootDir = resolve("__tests__/fixtures/commonjs-in-jest");
  const config = {
    rootDir,
    testMatch: ["<rootDir>/*.cjs"],
    transform: {},
    moduleNameMapper: {
      "^langgraph-mongo-memory$": resolve("dist/index.cjs"),
      "^langgraph-mongo-memory/(.*)$": resolve("dist/$1.cjs"),
    },
  };
  const jest = resolve("node_modules/jest/bin/jest.js");
  const { NODE_OPTIONS: _, ...env } = process.env;
  const run = promisify(execFile)(process.execPath, [jest, "--forceExit", "--config", JSON.stringify(config)], {
    cwd: rootDir,
    env: { ...env, MONGODB_URI: uri, DATABASE: name },
  });
  expect((await run).stderr).toContain("4 passed, 4 total");
});
