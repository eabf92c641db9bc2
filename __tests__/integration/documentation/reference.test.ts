import { readFile } from "node:fs/promises";
import { describe, expect, it } from "@jest/globals";
import ts from "typescript";
import { entrySources } from "../../../tools/build/entries.js";
import { compilePages, documentationPages, pageAt, textIn } from "../../helpers/documentation.js";
import { type OptionField, Surface } from "../../helpers/surface.js";

const pages = documentationPages();
const guides = pages.filter(({ file }) => /^docs\/(?!README|tools)/.test(file));
const textOf = textIn(pages);

describe("the documentation, by the compiler", () => {
  const { program, snippets } = compilePages(pages);
  const shared = textOf("docs/options/many-calls.md");
  const optionPages = pages.filter(({ file }) => file.startsWith("docs/options/"));
  const optionSections = optionPages.flatMap(({ text }) => text.split(/^(?=## )/m));
  const reference = [textOf("docs/exports.md"), ...optionSections].join("\n");
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

  it.each(sources)("names everything that the entry %s exports", async (entry, source) => {
    const name = entry === "index" ? "langgraph-mongo-memory" : `langgraph-mongo-memory/${entry}`;
    const [rows = ""] = new RegExp(`^\\| \`${name}\` \\|.*\n(?:\\| \\|.*\n)*`, "m").exec(reference) ?? [];
    const values = Object.keys((await import(`../../../${source}`)) as object);
    expect(values.length).toBeGreaterThan(0);
    expect(values.filter((value) => !rows.includes(`\`${value}\``))).toEqual([]);
  });

  const manual = guides
    .filter(({ file }) => !/^docs\/(?:exports|options|results|specification)\b/.test(file))
    .concat(pageAt("README.md"));
  const shownCode = manual.map(({ text }) => codeOf(text)).join("\n");
  const isShown = (name: string): boolean => new RegExp(`\\b${name}\\b`).test(shownCode);

  it.each(sources)("shows every value of the entry %s in a guide, and names every type", async (_entry, source) => {
    const values = Object.keys((await import(`../../../${source}`)) as object);
    expect(values.filter((name) => !isShown(name))).toEqual([]);
    expect(surface.names(source).filter((name) => !isShown(name) && !reference.includes(`\`${name}\``))).toEqual([]);
  });

  it("describes at most 112 names, each with one meaning in all entries", () => {
    const names = new Set(sources.flatMap(([, source]) => surface.names(source)));
    expect(names.size).toBe(surface.meanings);
    expect(names.size).toBeLessThanOrEqual(112);
  });

  it("has at most 150 rows of options, each of them once in its table", () => {
    const tables = optionSections.map(optionsIn);
    expect(tables.flat().length).toBeLessThanOrEqual(150);
    expect(tables.map((names) => new Set(names).size)).toEqual(tables.map(({ length }) => length));
  });

  it("has an index that leads from each option to its table", () => {
    const rows = textOf("docs/options.md").matchAll(/^\| \[(.+?)\]\(options\/.+\) \| (`.+`) \|$/gm);
    const index = new Map(Array.from(rows, ([, title = "", names = ""]) => [title, names.split(", ")]));
    const tables = optionSections.map((section) => ({ title: titleOf(section), names: optionsIn(section) }));
    const filled = tables.filter(({ names }) => names.length > 0);
    expect(Object.fromEntries(index)).toEqual(
      Object.fromEntries(filled.map(({ title, names }) => [title, names.map((name) => `\`${name}\``)])),
    );
  });

  it("shows every option in a guide", () => {
    const options = optionsIn(reference);
    expect(options.length).toBeGreaterThan(100);
    expect(options.filter((name) => !isShown(name))).toEqual([]);
  });

  it.each(sources)(
    "lists every option of the entry %s with its default, or names it where the table is",
    (_, source) => {
      const faults = surface
        .options(source)
        .filter(({ name }) => !elsewhere.has(name))
        .flatMap(({ name, fields }) => {
          const section = sectionOfType(name);
          // The options of a small object are named in the row of the option that takes it.
          const isListed = (field: OptionField): boolean =>
            section === "" ? isCode(reference, field.name) : hasRow(section, shared, field);
          return fields.filter((field) => !isListed(field)).map((field) => `${name}.${field.name}`);
        });
      expect(faults).toEqual([]);
    },
  );

  it.each(sources)("has a section or a sentence for every option type that the entry %s exports", (_, source) => {
    const exported = surface.names(source);
    const names = surface.options(source).map(({ name }) => name);
    const missing = names.filter((name) => exported.includes(name) && !reference.includes(`\`${name}\``));
    expect(missing.filter((name) => !elsewhere.has(name))).toEqual([]);
  });

  it.each(sources)("lists no option that the entry %s does not have", (_, source) => {
    const unknown = surface.options(source).flatMap(({ name, allNames }) => {
      const section = sectionOfType(name);
      return [...optionsIn(section), ...alsoTakenBy(section)]
        .filter((option) => !allNames.includes(option))
        .map((option) => `${name}.${option}`);
    });
    expect(unknown).toEqual([]);
  });

  it("lists among the options of many calls those of at least two sections, and repeats none of them", () => {
    const uses = optionSections.flatMap(alsoTakenBy);
    expect(optionsIn(shared).filter((name) => uses.filter((use) => use === name).length < 2)).toEqual([]);
    expect(uses.filter((name) => !optionsIn(shared).includes(name))).toEqual([]);
  });

  it("finds the options that it looks for", () => {
    const found = sources.flatMap(([, source]) => surface.options(source)).filter(({ fields }) => fields.length > 0);
    expect(found.length).toBeGreaterThan(25);
    expect(found.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["MemoryOptions", "MemoryUse", "MountSettings", "GraphContext", "McpHttpOptions"]),
    );
    expect(found.find(({ name }) => name === "MemoryToolOptions")?.fields.map(({ name }) => name)).toContain(
      "commands",
    );
    const titles = Array.from(reference.matchAll(/^## `(.+)`$/gm), ([, name = ""]) => name);
    const names = new Set(sources.flatMap(([, source]) => surface.options(source)).map(({ name }) => name));
    expect(titles.filter((name) => !names.has(name))).toEqual([]);
  });

  describe("the page of the results", () => {
    const results = surface.results("src/index.ts", ["Memory", "MemoryHistory", "MemoryProposals", "MongoMemoryStore"]);
    const described = [
      ...results,
      { name: "MemoryRun", fields: surface.fieldsOf("src/index.ts", "MemoryRun") },
      { name: "MoveInEntry", fields: surface.fieldsOf("src/move-in/index.ts", "MoveInEntry") },
    ];
    const sections = textOf("docs/results.md").split(/^(?=## |### )/m);
    const sectionsOf = (name: string): string[] =>
      sections.filter((section) => /^### .*/.exec(section)?.[0].includes(`\`${name}\``));
    const rowsOf = (section: string): { name: string; absent: string }[] =>
      Array.from(section.matchAll(/^\| `(\w+)` \| .* \| (.*?) ?\|$/gm), ([, name = "", absent = ""]) => ({
        name,
        absent,
      }));

    it("finds the results that it looks for", () => {
      const names = described.map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining(["MemoryEntry", "DirectoryStat", "SnapshotFile", "OutlineFile"]));
      expect(names).toEqual(expect.arrayContaining(["SearchHit", "GrepMatch", "MemoryVersion"]));
      expect(names).toEqual(expect.arrayContaining(["BlamedLine", "TextOccurrences", "ProposalSummary"]));
    });

    it.each(described)(
      "has one section with every field of $name, and says which may be absent",
      ({ name, fields }) => {
        const [section = "", ...others] = sectionsOf(name);
        expect(others).toEqual([]);
        const rows = rowsOf(section);
        const listed = fields.map((field) => ({
          name: field.name,
          mayBeAbsent: rows.some((row) => row.name === field.name && row.absent !== ""),
        }));
        expect(fields.map((field) => field.name).filter((field) => !rows.some((row) => row.name === field))).toEqual(
          [],
        );
        expect(listed).toEqual(fields);
      },
    );

    it("lists no field that no result has", () => {
      const unknown = sections.flatMap((section) => {
        const fields = described
          .filter(({ name }) => sectionsOf(name).includes(section))
          .flatMap((each) => each.fields);
        return rowsOf(section).filter((row) => !fields.some(({ name }) => name === row.name));
      });
      expect(unknown).toEqual([]);
    });
  });

  it("explains every error code", () => {
    const codes = surface.literals("src/index.ts", "MemoryErrorCode");
    expect(codes).toHaveLength(12);
    const text = textOf("docs/troubleshooting.md");
    expect(codes.filter((code) => !text.includes(`\n| [\`${code}\`](#${code.toLowerCase()}) | `))).toEqual([]);
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
  "MemoryActor", // results.md
  "MemoryOrigin", // of openMemoryOver, for spans
  "MoveInEntry", // results.md
  "RenderedRun", // results.md, as MemoryRun
  "ToolDefinition", // writing-a-dialect.md
]);

/** The code of a page, in blocks and in lines. */
function codeOf(text: string): string {
  return Array.from(text.matchAll(/^```\w*\n[^]*?^```|`[^`\n]+`/gm), ([code]) => code).join("\n");
}

function isCode(text: string, name: string): boolean {
  return new RegExp(`\\b${name}\\b`).test(codeOf(text));
}

/** The options of the tables of a text. */
function optionsIn(text: string): string[] {
  const tables = Array.from(text.matchAll(/^\| option \| default \|.*\n(?:\|.*\n)+/gm), ([table]) => table);
  return tables.flatMap((table) => Array.from(table.matchAll(/^\| `([^`]+)` \| /gm), ([, name = ""]) => name));
}

/** The options of the table for many calls that a section names. */
function alsoTakenBy(section: string): string[] {
  const [line = ""] = /^Also takes: .*$/m.exec(section) ?? [];
  return Array.from(line.matchAll(/`([a-z]\w*)`/g), ([, name = ""]) => name);
}

/** Whether a row has the default of the option, or says that it is required: in the section, or in the shared table. */
function hasRow(section: string, shared: string, { name, defaultText, isRequired }: OptionField): boolean {
  const find = (text: string): string | undefined =>
    text.split("\n").find((line) => line.startsWith(`| \`${name}\` | `));
  const row = find(section) ?? (alsoTakenBy(section).includes(name) ? find(shared) : undefined);
  if (row === undefined) return false;
  const [literal] = /^(?:"[^"]*"|[\d_]+|\[.*\]|\{.*\}|true|false|null)(?=$| \(|,)/.exec(defaultText) ?? [];
  if (literal !== undefined) return row.includes(`| \`${literal}\` |`);
  return row.includes("| required |") === (isRequired && defaultText === "");
}
