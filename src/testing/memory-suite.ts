import { wrongArgument } from "../core/settings/wrong-argument.js";
import { hasMethod } from "../core/values/unknown-values.js";
import { type MemoryCapabilities, memoryCapabilityDefaults, type MemoryCase, type OpenMemory } from "./memory-case.js";
import { addressCases } from "./memory-cases/addresses.js";
import { concurrencyCases } from "./memory-cases/concurrency.js";
import { editingCases } from "./memory-cases/editing.js";
import { findingCases } from "./memory-cases/finding.js";
import { pathCases } from "./memory-cases/paths.js";
import { readingCases } from "./memory-cases/reading.js";
import { treeCases } from "./memory-cases/trees.js";

/** The functions of a test runner, such as jest, vitest and node:test. */
export interface TestRunner {
  /** Groups the tests that `define` defines. */
  describe: (title: string, define: () => void) => void;
  /** Defines a test. The test fails if `run` rejects. */
  it: (title: string, run: () => Promise<void>) => void;
}

/** Options for natural differences between backends. */
export interface MemorySuiteOptions {
  /** The capabilities that the backend declares. Its documentation should state the same. */
  capabilities?: Partial<MemoryCapabilities>;
}

const groups: Record<string, MemoryCase[]> = {
  "reading a memory": readingCases,
  "editing files": editingCases,
  "deleting and renaming": treeCases,
  "search and grep": findingCases,
  paths: pathCases,
  addresses: addressCases,
  "concurrent commands": concurrencyCases,
};

/**
 * Registers the tests that every backend passes. Each test uses its own addresses, so one storage serves all tests.
 *
 * @param runner `{ describe, it }` of the test runner in use.
 * @param open opens a memory on the backend under test. Called only inside the tests.
 */
export function defineMemorySuite(runner: TestRunner, open: OpenMemory, options: MemorySuiteOptions = {}): void {
  if (!hasMethod(runner, "describe") || !hasMethod(runner, "it"))
    throw wrongArgument("defineMemorySuite: runner", "an object { describe, it }", runner);
  if (typeof open !== "function")
    throw wrongArgument("defineMemorySuite: open", "a function from an address to a Memory", open);
  const { describe, it } = runner;
  const declared = { ...memoryCapabilityDefaults, ...options.capabilities };
  for (const [group, cases] of Object.entries(groups)) {
    describe(group, () => {
      for (const { title, run } of cases) it(title, () => run(open, declared));
    });
  }
}
