import { describe, it } from "@jest/globals";
import { type MemoryCapabilities, type OpenMemory, defineMemorySuite } from "../../src/testing/index.js";
import { defineModelProperty } from "./model-property.js";

/**
 * Tests everything that a backend must do. @param modelRuns random command sequences of 5 to 30 commands for each path
 * rule.
 */
export function testBackend(
  name: string,
  open: OpenMemory,
  modelRuns: number,
  capabilities: Partial<MemoryCapabilities> = {},
): void {
  describe(name, () => {
    defineMemorySuite({ describe, it }, open, { capabilities });
    defineModelProperty(open, modelRuns);
  });
}
