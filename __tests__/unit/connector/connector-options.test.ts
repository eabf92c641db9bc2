import { describe, expect, it, jest } from "@jest/globals";
import { MemoryError, type MemoryConnectorConfig } from "../../../src/index.js";
import { z } from "zod";
import { checkOptions } from "../../../src/core/settings/check-options.js";
import { checkConnectorConfig, connectorFields } from "../../../src/prompt/connector-options.js";

describe("the connector's configuration", () => {
  it("shows a tree of at most 4000 characters after the system prompt unless told otherwise", () => {
    const defaults = {
      placement: "after_system",
      content: "tree",
      maxChars: 4000,
      systemMessages: "auto",
      role: "auto",
    };
    expect(checkConnectorConfig(undefined)).toMatchObject(defaults);
    expect(checkConnectorConfig({})).toMatchObject(defaults);
  });

  it("warns the process of a memory that could not be read unless told otherwise", () => {
    const warn = jest.spyOn(process, "emitWarning").mockImplementation(() => undefined);
    checkConnectorConfig({}).onError(new MemoryError("EIO", "EIO: the storage failed"));
    expect(warn).toHaveBeenCalledWith("model called without its memory: EIO: the storage failed", {
      type: "MemoryWarning",
    });
    warn.mockRestore();
  });

  it("keeps every choice that was made", () => {
    const config = {
      placement: "last_message",
      content: "full",
      maxChars: 200_000,
      systemMessages: "merged",
      role: "user",
      onError: () => {},
    } as const;
    expect(checkConnectorConfig(config)).toEqual(config);
  });

  it.each<[string, unknown, string[]]>([
    [
      "an unknown placement",
      { placement: "top" },
      ["placement", '"top"', "after_system", "before_system", "last_message"],
    ],
    ["an unknown content", { content: "all" }, ["content", '"all"', "tree", "full"]],
    ["a limit of nothing", { maxChars: 0 }, ["maxChars", "given 0", "1"]],
    ["a limit over the largest", { maxChars: 200_001 }, ["maxChars", "given 200001", "200000"]],
    ["half a character", { maxChars: 1.5 }, ["maxChars", "given 1.5", "int"]],
    ["an unknown way of sending", { systemMessages: "two" }, ["systemMessages", '"two"', "auto", "separate", "merged"]],
    ["an unknown role", { role: "system" }, ["role", '"system"', "auto", "user"]],
    ["a callback that is none", { onError: "log" }, ["onError", '"log"', "function"]],
    ["a misspelt field", { maxchars: 10 }, ["maxchars"]],
    ["something else than an object", "full", ["object"]],
  ])("refuses %s with a TypeError that says what was given and what would do", (_, config, said) => {
    const check = (): unknown => checkConnectorConfig(config as MemoryConnectorConfig);
    expect(check).toThrow(TypeError);
    for (const words of said) expect(check).toThrow(words);
  });

  it("offers its fields to option objects that extend it", () => {
    const schema = z.object({ ...connectorFields, tools: z.boolean().optional() }).strict();
    expect(() => checkOptions("Extended", schema, { content: "full", tools: true })).not.toThrow();
    expect(() => checkOptions("Extended", schema, { content: "all" })).toThrow("invalid Extended: content");
  });
});
