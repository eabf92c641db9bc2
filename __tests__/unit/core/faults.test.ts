import { describe, expect, it } from "@jest/globals";
import { z } from "zod";
import { checkOptions } from "../../../src/core/settings/check-options.js";
import { checkDefinition } from "../../../src/template/check-definition.js";

/** What is thrown. */
function messageOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("nothing was thrown");
}

const manyKeys = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`k${index}`, 1]));
const longKey = { ["k".repeat(1_000_000)]: 1 };
const schema = z.object({ names: z.array(z.string()).optional(), kind: z.literal("a").optional() }).strict();

describe("a message about ten thousand faults", () => {
  it("names the first few options, and says how many more there are", () => {
    const message = messageOf(() => checkOptions("Options", schema, manyKeys));
    expect(message).toMatch(
      /^invalid Options: unknown option "k0" \(the options are names, kind\); .*; and 9995 more$/,
    );
    expect(message.length).toBeLessThan(1000);
    expect(
      messageOf(() => checkOptions("Options", schema, { names: Array.from({ length: 10_000 }, () => 1) })),
    ).toMatch(/^invalid Options: names\.0: .*names\.4: .*; and 9995 more$/);
    expect(messageOf(() => checkOptions("Options", schema, longKey)).length).toBeLessThan(300);
    expect(messageOf(() => checkOptions("Options", schema, { kind: "k".repeat(1_000_000) })).length).toBeLessThan(300);
  });

  it("names a hundred faults of a definition of a graph", () => {
    const unknown = messageOf(() =>
      checkDefinition({ nodes: [{ id: "M", data: { template: "memory", config: manyKeys } }], edges: [] }),
    );
    const wrong = messageOf(() => checkDefinition({ nodes: Array.from({ length: 10_000 }, () => 0), edges: [] }));
    for (const message of [unknown, wrong]) {
      expect(message).toMatch(/\n- and 9900 more\.$/);
      expect(message.length).toBeLessThan(50_000);
    }
  });
});
