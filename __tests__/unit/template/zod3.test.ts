import { expect, it, jest } from "@jest/globals";
import { Validator } from "@langchain/core/utils/json_schema";

/** The older of the two zods that a user may have; zod 4 ships it, too. */
jest.unstable_mockModule("zod", () => import("zod/v3"));

it("the graph template refuses and describes the same with zod 3", async () => {
  const { build, documentedExample, faultsOf, graphOf, node } = await import("../../helpers/graph-definitions.js");
  const { graphDefinitionSchema } = await import("../../../src/index.js");
  const documented = await documentedExample();
  const validator = new Validator(graphDefinitionSchema, "7", false);
  expect(graphDefinitionSchema["$schema"]).toContain("draft-07");
  expect(faultsOf(() => build(documented))).toEqual([]);
  expect(validator.validate(documented).valid).toBe(true);

  const rules = (path: string, access: string) => graphOf([node("M", "memory", { rules: [{ path, access }] })]);
  expect(faultsOf(() => build(rules("/policies/**", "read")))).toEqual([]);
  expect(faultsOf(() => build(rules("/policies/**", "ask")))).toEqual([]);
  expect(faultsOf(() => build(rules("/policies/**", "rw")))).toEqual([
    'node "M" (nodes[0]): data.config.rules.0.access: must be "write", "append", "read" or "ask" (given "rw")',
  ]);
  for (const wrong of [rules("/a", "rw"), rules("a", "read"), rules("/[a]", "read"), rules("/a**", "read")]) {
    expect(validator.validate(wrong).valid).toBe(false);
    expect(faultsOf(() => build(wrong))).toHaveLength(1);
  }

  const wrong = graphOf(
    [node("M", "memory", { scope: "x" }), node("T", "memoryTool", { commands: ["x"], colour: 1 })],
    "M.self -> T.$memory",
  );
  expect(faultsOf(() => build(wrong))).toEqual([
    expect.stringMatching(/^node "M" \(nodes\[0\]\): data\.config\.scope: .*'perUser'.* \(given "x"\)$/),
    expect.stringMatching(/^node "T" \(nodes\[1\]\): data\.config\.commands\.0: .*'search'.* \(given "x"\)$/),
    'node "T" (nodes[1]): data.config: unknown option "colour" (the options are name, description, title, commands, maxAnswerChars)',
    expect.stringMatching(/^edge "M\.self -> T\.\$memory" \(edges\[0\]\): sourceHandle: .*\(given "self"\)$/),
  ]);
  for (const definition of [wrong, graphOf([node("M", "memory", { scope: "x" })]), graphOf([node("X", "agnet")])]) {
    expect(validator.validate(definition).valid).toBe(false);
  }
  expect(JSON.stringify(graphDefinitionSchema)).toContain("what the model reads about the tool");
});
