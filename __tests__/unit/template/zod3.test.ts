import { expect, it, jest } from "@jest/globals";
import { Validator } from "@langchain/core/utils/json_schema";

/** The older of the two zods that a user may have; zod 4 ships it, too. */
jest.unstable_mockModule("zod", () => import("zod/v3"));

// Requirement: template.either-zod
it("the graph template says and describes the same with zod 3", async () => {
  const { build, documentedExample, faultsOf, graphOf, node } = await import("../../helpers/graph-definitions.js");
  const { graphDefinitionSchema } = await import("../../../src/template/json-schema.js");
  const documented = await documentedExample();
  const validator = new Validator(graphDefinitionSchema, "7", false);
  expect(graphDefinitionSchema["$schema"]).toContain("draft-07");
  expect(faultsOf(() => build(documented))).toEqual([]);
  expect(validator.validate(documented).valid).toBe(true);

  const rules = (path: string, access: string) => graphOf([node("M", "memory", { rules: [{ path, access }] })]);
  expect(faultsOf(() => build(rules("/policies/**", "read")))).toEqual([]);
  expect(faultsOf(() => build(rules("/policies/**", "ask")))).toEqual([]);
  expect(faultsOf(() => build(rules("/policies/**", "rw")))).toEqual([
    expect.stringContaining("data.config.rules must be a list of at most 100"),
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
    'node "M" (nodes[0]): data.config.scope must be "global" (one memory for all; the default), "perThread" (one for each thread) or "perUser" (one for each user) (given "x")',
    'node "T" (nodes[1]): unknown field "data.config.colour"; the fields here are "name", "description", "title", "commands"',
    'node "T" (nodes[1]): data.config.commands must be a list of at least one of "read", "list", "append", "update", "delete" and "search" (default: all but "search") (given ["x"])',
    'edge "M.self -> T.$memory" (edges[0]): sourceHandle must be "tools" (of an agent) or "$self" (of a memory or a memoryConnector) (given "self")',
  ]);
  for (const definition of [wrong, graphOf([node("M", "memory", { scope: "x" })]), graphOf([node("X", "agnet")])]) {
    expect(validator.validate(definition).valid).toBe(false);
  }
  expect(JSON.stringify(graphDefinitionSchema)).toContain("what the model reads about the tool");
});
