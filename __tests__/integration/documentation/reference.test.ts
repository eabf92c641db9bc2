import { readFile } from "node:fs/promises";
import { describe, expect, it } from "@jest/globals";
import ts from "typescript";
import { entrySources } from "../../../tools/build/entries.js";
import { compilePages, documentationPages, pageAt, textIn } from "../../helpers/documentation.js";
import { dialectNames } from "../../helpers/dialects-under-test.js";
import { Surface } from "../../helpers/surface.js";
import type { ToolDefinition } from "../../../src/mcp/index.js";
import { dialectPages } from "../../../tools/tool-pages/pages.js";
import { renderPage } from "../../../tools/tool-pages/render.js";
import { readOptionsTemplate, renderOptionsPage } from "../../../tools/tool-pages/render-options.js";

const pages = documentationPages();
/** Pages that show how something is used. The index of exports and the promises do not. */
const guides = pages.filter(
  ({ file }) => !/^docs\/(?:README|pages|options|tools\/.*|versioning|architecture|specification)\b/.test(file),
);
const textOf = textIn(pages);

describe("the documentation, by the compiler", () => {
  const { program, snippets } = compilePages(pages);
  const optionSections = textOf("docs/options.md").split(/^(?=##+ )/m);
  const reference = optionSections.join("\n");
  const titleOf = (section: string): string => /^#+ (.*)/.exec(section)?.[1] ?? "";
  const sectionOfType = (name: string): string =>
    optionSections.find((section) => titleOf(section) === `\`${name}\``) ?? "";
  const surface = new Surface(program, (name) => sectionOfType(name) !== "");
  const sources = Object.entries(entrySources());

  it("has code that compiles", () => {
    expect(snippets.size).toBeGreaterThan(30);
    const faults = [...snippets].flatMap((name) => {
      const file = program.getSourceFile(name);
      return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
    });
    const told = faults.map(({ file, start = 0, messageText }) => {
      const line = file?.text.slice(0, start).split("\n").length;
      return `${file?.fileName}:${line} ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
    });
    expect(told).toEqual([]);
  });

  const shownCode = [...guides, pageAt("README.md")].map(({ text }) => codeOf(text)).join("\n");
  const isShown = (name: string): boolean => new RegExp(`\\b${name}\\b`).test(shownCode);

  it.each(sources)("shows every value of the entry %s in a guide", async (_entry, source) => {
    const values = Object.keys((await import(`../../../${source}`)) as object);
    expect(values.filter((name) => !isShown(name))).toEqual([]);
  });

  it("describes at most 112 names, each with one meaning in all entries", () => {
    const names = new Set(sources.flatMap(([, source]) => surface.names(source)));
    expect(names.size).toBe(surface.meanings);
    expect(names.size).toBeLessThanOrEqual(112);
  });

  it("has a page of options that is what `npm run docs:tools` makes", () => {
    expect(textOf("docs/options.md")).toBe(renderOptionsPage(readOptionsTemplate(), program));
  });

  it("shows each default as one piece of code", () => {
    expect(reference.match(/^.*, default .*`\.?`.*$/gm)).toBeNull();
  });

  it("lists at most 150 options", () => {
    expect(optionsIn(reference).length).toBeLessThanOrEqual(150);
  });

  it("shows every option in a guide", () => {
    const options = optionsIn(reference);
    expect(options.length).toBeGreaterThan(100);
    expect(options.filter((name) => !isShown(name))).toEqual([]);
  });

  it.each(sources)("has a section or a sentence for every option type that the entry %s exports", (_, source) => {
    const exported = surface.names(source);
    const names = surface.options(source).map(({ name }) => name);
    const missing = names.filter((name) => exported.includes(name) && !reference.includes(`\`${name}\``));
    expect(missing.filter((name) => !elsewhere.has(name))).toEqual([]);
  });

  it.each(sources)("names every option of the entry %s, also of a type without a section", (_, source) => {
    const unnamed = surface
      .options(source)
      .filter(({ name }) => !elsewhere.has(name))
      .flatMap(({ name, fields }) =>
        fields.filter((field) => !isCode(reference, field)).map((field) => `${name}.${field}`),
      );
    expect(unnamed).toEqual([]);
  });

  it("finds the options that it looks for", () => {
    const found = sources.flatMap(([, source]) => surface.options(source)).filter(({ fields }) => fields.length > 0);
    expect(found.length).toBeGreaterThan(25);
    expect(found.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["MemoryOptions", "MemoryUse", "MountSettings", "GraphContext", "McpHttpOptions"]),
    );
    expect(found.find(({ name }) => name === "MemoryToolOptions")?.fields).toContain("commands");
    const titles = optionSections.map(titleOf).flatMap((title) => /^`(.+)`$/.exec(title)?.[1] ?? []);
    const names = new Set(sources.flatMap(([, source]) => surface.options(source)).map(({ name }) => name));
    expect(titles.filter((name) => !names.has(name))).toEqual([]);
  });

  it("explains every error code", () => {
    const codes = surface.literals("src/index.ts", "MemoryErrorCode");
    expect(codes).toHaveLength(12);
    const text = textOf("docs/troubleshooting.md");
    expect(codes.filter((code) => !new RegExp(`^### \`${code}\`\n\n[^#]`, "m").test(text))).toEqual([]);
  });

  it("explains the codes of the journal and the records", async () => {
    const sourcesOfCodes = ["src/dialects/journal/errors.ts", "src/dialects/records/errors.ts"].map((file) =>
      readFile(file, "utf8"),
    );
    const codes = (await Promise.all(sourcesOfCodes)).flatMap((text) =>
      Array.from(text.matchAll(/^ {2}\| "([A-Z_]+)"/gm), ([, code = ""]) => code),
    );
    expect(codes.length).toBeGreaterThan(10);
    expect(codes.filter((code) => !textOf("docs/troubleshooting.md").includes(`\n| \`${code}\` | `))).toEqual([]);
  });
});

/** Types that look like options, but describe something else, or have a page of their own. */
const elsewhere: ReadonlySet<string> = new Set([
  "CallContext", // writing-a-backend.md
  "ChangeOptions", // writing-a-backend.md
  "MemoryActor", // history.md
  "MemoryOrigin", // of openMemoryOver, for spans
  "MoveInEntry", // move-in.md
  "RenderedRun", // prompt.md
  "ToolDefinition", // writing-a-dialect.md
]);

/** The code of a page, in blocks and in lines. */
function codeOf(text: string): string {
  return Array.from(text.matchAll(/^```\w*\n[^]*?^```|`[^`\n]+`/gm), ([code]) => code).join("\n");
}

function isCode(text: string, name: string): boolean {
  return new RegExp(`\\b${name}\\b`).test(codeOf(text));
}

/** The options that a text lists. */
function optionsIn(text: string): string[] {
  return Array.from(text.matchAll(/^- `(\w+)`, (?:default |required\.)/gm), ([, name = ""]) => name);
}

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
