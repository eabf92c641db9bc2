import { afterAll, describe, expect, it } from "@jest/globals";
import { countSteps, stopCounting } from "../../helpers/counted-steps.js";

afterAll(stopCounting);

const { getDescription, leadChars } = await import("../../../src/prompt/front-matter.js");

const readStart = (text: string): string | null => getDescription(text.slice(0, leadChars));

describe("what a file says of itself", () => {
  it.each([
    ["its first line", "Buy milk\nand bread", "Buy milk"],
    ["its first line that is not empty", "\n \t\r\n  # Plan  \r\nmore", "# Plan"],
    ["the description of its front matter", "---\nname: x\ndescription: How to ship\n---\nBody", "How to ship"],
    ["the description after a byte order mark", "\uFEFF---\r\ndescription: How to ship\r\n---\r\nBody", "How to ship"],
    ["its first line without a byte order mark", "\uFEFFBuy milk", "Buy milk"],
    ["a quoted description", '---\ndescription: "a: b # c"\n---\n', "a: b # c"],
    ["a description with a colon", "---\ndescription: Note: how to ship\n---\nBody", "Note: how to ship"],
    ["the first line, where the description is a block", "---\ndescription: >\n  How\n---\nBody", "Body"],
    ["no mapping", "---\ndescription:\n  a: b\n---\nBody", "Body"],
    ["no list", "---\ndescription:\n  - a\n---\nBody", "Body"],
    ["the first line after front matter without a description", "---\nname: x\n---\n\nBody", "Body"],
    ["the first line after front matter whose description is no text", "---\ndescription: [1]\n---\nBody", "Body"],
    [
      "the description of front matter that is longer than what is read",
      `---\ndescription: short\nnotes: ${"x".repeat(1000)}\n---\nBody`,
      "short",
    ],
    [
      "nothing, where front matter is longer than what is read and has none",
      `---\nnotes: ${"x".repeat(1000)}\n---\nBody`,
      null,
    ],
    ["a line of dashes in a text without front matter", "----\nx", "----"],
    ["nothing, where the file is empty", " \n", null],
    ["at most 120 characters", "x".repeat(130), `${"x".repeat(119)}…`],
  ])("is %s", (_what, text, description) => {
    expect(readStart(text)).toBe(description);
  });

  // Each of these made a YAML library work hard once.
  it.each([
    "&a [*a, *a]",
    "!!js/function x",
    "{".repeat(400),
    "[".repeat(400),
    "[{".repeat(240),
    "? ".repeat(200),
    "'unclosed",
    '"unclosed',
    '"\\U00110000',
    "\u0000",
    "&x ".repeat(100),
    "\n ".repeat(240),
    " #".repeat(240),
  ])("takes few steps for the front matter %j, and has one line", async (value) => {
    let description: string | null = null;
    const steps = await countSteps(/src\/prompt/, async () => {
      description = readStart(`---\ndescription: ${value}\n---\nBody`);
    });
    expect(description ?? "").not.toContain("\n");
    expect(steps).toBeLessThan(1000);
  });
});
