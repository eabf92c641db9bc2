import { describe, expect, it } from "@jest/globals";
import { getDescriptions, leadChars } from "../../../src/prompt/descriptions.js";

async function descriptionOf(text: string): Promise<string | undefined> {
  const found = await getDescriptions([{ path: "/a", sizeBytes: 1, lead: text.slice(0, leadChars) }]);
  return found.get("/a");
}

describe("what a file says of itself", () => {
  // Requirement: connector.index
  it.each([
    ["its first line", "Buy milk\nand bread", "Buy milk"],
    ["its first line that is not empty", "\n \t\r\n  # Plan  \r\nmore", "# Plan"],
    ["the description of its front matter", "---\nname: x\ndescription: How to ship\n---\nBody", "How to ship"],
    ["a quoted description", '---\ndescription: "a: b # c"\n---\n', "a: b # c"],
    ["a description of several lines as one", "---\ndescription: >\n  How\n  to ship\n---\nBody", "How to ship"],
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
      undefined,
    ],
    ["a line of dashes in a text without front matter", "----\nx", "----"],
    ["nothing, where the file is empty", " \n", undefined],
    ["at most 120 characters", "x".repeat(130), `${"x".repeat(119)}…`],
  ])("is %s", async (_what, text, description) => {
    expect(await descriptionOf(text)).toBe(description);
  });

  // Each of these made a YAML library work hard once.
  it.each([
    "&a [*a, *a]",
    "!!js/function x",
    "{".repeat(400),
    "[".repeat(400),
    "? ".repeat(200),
    "'unclosed",
    "\u0000",
    "&x ".repeat(100),
  ])("is some line or nothing for the front matter %j", async (value) => {
    const description = await descriptionOf(`---\ndescription: ${value}\n---\nBody`);
    expect(description ?? "").not.toContain("\n");
  });

  it("is told of many files, of which some repeat", async () => {
    const files = Array.from({ length: 5000 }, (_, index) => ({
      path: `/${index}`,
      sizeBytes: 1,
      lead: `line ${index % 3000}`,
    }));
    const found = await getDescriptions(files);
    expect(found.size).toBe(5000);
    expect(found.get("/4999")).toBe("line 1999");
  });
});
