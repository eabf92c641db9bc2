import { readFileSync } from "node:fs";
import { describe, expect, it } from "@jest/globals";
import { defaultInstructions } from "../../../src/learn/instructions.js";

describe("the instructions of learn", () => {
  it("stand in the documentation in full", () => {
    expect(readFileSync("docs/learn.md", "utf8")).toContain(`\`\`\`text\n${defaultInstructions}\n\`\`\``);
  });
});
