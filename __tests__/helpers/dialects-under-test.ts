import { existsSync } from "node:fs";
import { type DialectName, dialectNames, createDialect, toolsByName } from "../../src/dialects/registry.js";

export { type DialectName, dialectNames, createDialect, toolsByName };
import type { DialectUnderTest } from "./dialect-suite.js";

/** Loads every dialect of the registry, each described by its file in `dialects-under-test`. */
export async function dialectsUnderTest(): Promise<[name: DialectName, dialect: DialectUnderTest][]> {
  const dialects: [DialectName, DialectUnderTest][] = [];
  // One at a time, because jest cannot import several modules at once that share others.
  for (const name of dialectNames) dialects.push([name, await load(name)]);
  return dialects;
}

async function load(name: DialectName): Promise<DialectUnderTest> {
  const file = `__tests__/helpers/dialects-under-test/${name}.ts`;
  if (!existsSync(file)) throw new Error(`the dialect ${name} needs ${file}, which says how it is tested`);
  const { dialectUnderTest } = (await import(`./dialects-under-test/${name}.js`)) as {
    dialectUnderTest: DialectUnderTest;
  };
  return dialectUnderTest;
}
