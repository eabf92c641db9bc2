import { readdirSync } from "node:fs";
import { expect, it } from "@jest/globals";
import { makeFault, readMutations } from "../../tools/mutations/mutations.js";

const files = readdirSync("__tests__", { recursive: true, encoding: "utf8" }).filter((name) =>
  name.endsWith(".test.ts"),
);

/** `npm run mutate` takes too long to run with each change. */
it("the recorded faults fit the sources, and name tests that there are", () => {
  const mutations = readMutations();
  expect(mutations.length).toBeGreaterThan(60);
  for (const mutation of mutations) {
    expect(makeFault(mutation)).toContain(mutation.after);
    for (const test of mutation.tests) {
      if (test === "-t") break;
      expect([test, files.some((file) => file.includes(test))]).toEqual([test, true]);
    }
  }
});
