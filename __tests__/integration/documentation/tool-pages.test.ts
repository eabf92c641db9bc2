import { describe, expect, it } from "@jest/globals";
import type { ToolDefinition } from "../../../src/mcp/index.js";
import { dialectNames } from "../../helpers/dialects-under-test.js";
import { dialectPages } from "../../../tools/tool-pages/pages.js";
import { renderPage } from "../../../tools/tool-pages/render.js";
import { documentationPages, textIn } from "../../helpers/documentation.js";

const textOf = textIn(documentationPages());

describe.each(dialectNames)("the page of the tools of %s", (name) => {
  const page = dialectPages[name];

  // The page is made by running every example and every refusal that it shows.
  it("is what `npm run docs:tools` makes", async () => {
    expect(textOf(`docs/tools/${name}.md`)).toBe(await renderPage(page));
  });

  it("shows every tool, every command and every argument", () => {
    const { tools } = page.dialect();
    expect(page.calls.map(({ tool }) => tool)).toEqual(expect.arrayContaining(tools.map((tool) => tool.name)));
    const shown = page.calls.flatMap(({ command, examples }) => [
      command,
      ...examples.flatMap((args) => Object.keys(args)),
    ]);
    const { commands, names } = argumentsOf(tools);
    expect([...commands, ...names].filter((word) => !shown.includes(word))).toEqual([]);
  });

  it("says that a history brings back what tools delete, and links to the document that the tools follow", () => {
    const text = textOf(`docs/tools/${name}.md`);
    expect(text).not.toMatch(/nothing can be brought back|cannot be undone/i);
    if (name !== "journal") expect(text).toContain("](../history.md)");
    if (name !== "unified") expect(text).toMatch(/\]\(https:\/\//);
  });

  it("is linked from the page of the dialects", () => {
    expect(textOf("docs/dialects.md")).toContain(`(tools/${name}.md)`);
  });
});

function argumentsOf(tools: readonly ToolDefinition[]): { commands: string[]; names: string[] } {
  const properties = tools.map(({ schema }) => schema.properties);
  const commands = properties.flatMap(({ command }) =>
    command !== undefined && "enum" in command ? (command.enum as string[]) : [],
  );
  return { commands, names: properties.flatMap((each) => Object.keys(each)) };
}
