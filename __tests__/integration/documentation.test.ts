import { execFile } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { describe, expect, it } from "@jest/globals";
import ts from "typescript";
import { entrySources } from "../../entries.config.js";
import {
  brokenLinks,
  commandsOf,
  compilePages,
  documentationPages,
  type OptionField,
  pageAt,
  Surface,
  withoutCode,
} from "../helpers/documentation.js";
import type { ToolDefinition } from "../../src/dialects/dialect.js";
import { dialectNames } from "../../src/dialects/registry.js";
import { dialectPages } from "../../tool-pages/pages.js";
import { renderPage } from "../../tool-pages/render.js";
import { cli } from "../helpers/run-cli.js";

const run = promisify(execFile);
const pages = documentationPages();
const guides = pages.filter(({ file }) => /^docs\/(?!README|tools)/.test(file));
const readmes = ["examples", ...readdirSync("examples").map((name) => `examples/${name}`)]
  .map((folder) => `${folder}/README.md`)
  .filter((file) => existsSync(file))
  .map((file) => pageAt(file));
const textOf = (file: string): string => pages.find((page) => page.file === file)?.text ?? "";

describe("the documentation", () => {
  it.each([...pages, ...readmes])("$file names commands that exist", async ({ file, text }) => {
    const { scripts, peerDependencies } = await packageJson();
    const known: ((command: string) => boolean)[] = [
      (command) =>
        ["npm ci", "npm test", ...Object.keys(scripts).map((script) => `npm run ${script}`)].includes(command),
      (command) =>
        new RegExp(
          `^npm install (?: ?(?:${["langgraph-mongo-memory", ...Object.keys(peerDependencies)].join("|")}))+$`,
        ).test(command),
      (command) => existsSync(/^npx tsx (examples\/\S+\.ts)$/.exec(command)?.[1] ?? ""),
      // The quick start and the tutorial: `npm run check:first-minutes` and a test run them.
      (command) =>
        /^(?:npm pkg set type=module|node \w+\.m?js|docker run .* mongo:\d+|export OPENAI_API_KEY=\S+)$/.test(
          command,
        ) &&
        (file === "README.md" || file.startsWith("docs/tutorial/")),
      // What an example is run by, in its copy.
      (command) => /^(?:cd [\w-]+|npm install|npm start)$/.test(command),
      (command) => command === "npm run dev" && file === "examples/langgraph-server/README.md",
      // The names of the program, and what makes a shell complete them.
      (command) =>
        /^(?:npx (?:langgraph-mongo-memory|lgmm)|eval "\$\(langgraph-mongo-memory completion (?:bash|zsh)\)"|source)$/.test(
          command,
        ) && /^docs\/command(?:-line|s)\.md$/.test(file),
      // How clients of MCP are told the command: `pins/listings.test.ts` reads what follows.
      (command) => /^(?:claude mcp add|code --add-mcp) /.test(command) && file === "docs/mcp.md",
      // How a folder is compared with a later copy.
      (command) =>
        command === "diff -ru -x .langgraph-mongo-memory now vault" && file.endsWith("/edit-in-an-editor.md"),
      // What is installed for a program in Python.
      (command) => command === "pip install mcp" && file.endsWith("/from-python-by-mcp.md"),
      // What encrypts is an optional package of the driver.
      (command) => command === "npm install mongodb mongodb-client-encryption" && file.endsWith("/encrypt-texts.md"),
      // What examples of pipes are made of.
      (command) =>
        /^(?:export MONGODB_URI=\S+|date|gzip|gunzip -c [\w.]+\.gz|[\w.]+\.(?:txt|gz|patch)|grep \w+)$/.test(command),
    ];
    const commands = commandsOf(text);
    if (!file.startsWith("docs/")) expect(commands.length).toBeGreaterThan(0);
    const ofTheProgram = commands.filter((command) => /^(?:npx (?:-y )?)?langgraph-mongo-memory /.test(command));
    const others = commands.filter((command) => !ofTheProgram.includes(command));
    expect(others.filter((command) => !known.some((isKnown) => isKnown(command)))).toEqual([]);
    expect((await Promise.all(ofTheProgram.map(faultsOfCommand))).flat()).toEqual([]);
  });

  it.each([...pages, ...readmes])("$file links to what exists", (page) => {
    expect(brokenLinks(page)).toEqual([]);
  });

  it("lists every page once in its index", () => {
    const names = pages.map(({ file }) => file.replace("docs/", "")).filter((name) => name !== "README.md");
    const listed = Array.from(
      textOf("docs/README.md").matchAll(/^\| \[[^\]]+\]\(([^)]+)\) \| /gm),
      ([, name = ""]) => name,
    );
    expect(listed.toSorted()).toEqual(names.toSorted());
  });

  it("lists every decision", () => {
    const index = textOf("docs/README.md");
    const decisions = readdirSync("docs/decisions").filter((name) => name.endsWith(".md"));
    expect(decisions.filter((name) => !index.includes(`](decisions/${name})`))).toEqual([]);
  });

  it("names the versions that are asked for and those that were tested", async () => {
    const { peerDependencies, peerDependenciesMeta } = await packageJson();
    expect(Object.keys(peerDependenciesMeta)).toEqual([
      "@langchain/openai",
      "@modelcontextprotocol/node",
      "@modelcontextprotocol/server",
      "@opentelemetry/api",
      "ai",
      "deepagents",
      "langchain",
      "re2js",
    ]);
    const install = textOf("docs/install.md");
    const unnamed = Object.entries(peerDependencies).filter(([name, range]) => {
      const optional = name in peerDependenciesMeta ? "optional: " : "";
      return !install.includes(`| \`${name}\` | ${range.replaceAll("||", "or")} | ${optional}`);
    });
    expect(unnamed).toEqual([]);
    const tested = Object.keys(peerDependencies).map(async (name) => {
      const { version } = JSON.parse(await readFile(`node_modules/${name}/package.json`, "utf8")) as {
        version: string;
      };
      return `\`${name}\` ${version}`;
    });
    expect((await Promise.all(tested)).filter((phrase) => !install.includes(phrase))).toEqual([]);
  });
});

// Requirement: ways-in.first-programs
it.each(["README.md", "docs/first-agent.md"])("the programs of %s let a model name a file notes.md", (file) => {
  const nodes = textOf(file).match(/new MemoryNode\(\{.*/g) ?? [];
  expect(nodes).not.toEqual([]);
  expect(nodes.filter((node) => !node.includes('paths: "posix"'))).toEqual([]);
});

describe("the README", () => {
  it("has at most 550 words beside its code", () => {
    const words = withoutCode(textOf("README.md"))
      .split(/\s+/)
      .filter((word) => /\w/.test(word));
    expect(words.length).toBeLessThanOrEqual(550);
  });

  it("has pictures of the page and how it works, which the package ships", async () => {
    const pictures = Array.from(
      textOf("README.md").matchAll(/!\[([^\]]*)\]\(([^)]+)\)/g),
      ([, alt = "", file = ""]) => ({ alt, file }),
    );
    expect(pictures).toEqual(
      ["page.webp", "how-it-works.svg"].map((name) => ({
        alt: expect.stringMatching(/\w{3}/),
        file: `docs/images/${name}`,
      })),
    );
    const { stdout } = await run("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"]);
    const [{ files } = { files: [] }] = JSON.parse(stdout) as { files: { path: string }[] }[];
    expect(files.map(({ path }) => path)).toEqual(expect.arrayContaining(pictures.map(({ file }) => file)));
  });
});

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

  it("names the code with which the tools answer a missing argument", async () => {
    const rows = Array.from(page.end.matchAll(/^\| `(\w+)` \| (.*) \|$/gm), ([, code = "", when = ""]) => ({
      code,
      when,
    }));
    const openNone = (): never => {
      throw new Error("a missing argument is refused before the memory is opened");
    };
    const { tools } = page.dialect();
    for (const { schema, answer } of tools.filter((tool) => tool.schema.required.length > 0 && rows.length > 0)) {
      const { command } = schema.properties;
      const refusal = page.refusalIn((await answer(command === undefined ? {} : { command: "read" }, openNone)).text);
      const ofMissing = rows.filter(({ when }) => when.includes("missing")).map(({ code }) => code);
      expect(ofMissing).toEqual([/^\w+/.exec(refusal)?.[0]]);
    }
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

describe("the documentation, by the compiler", () => {
  const { program, snippets } = compilePages(pages);
  const surface = new Surface(program);
  const reference = textOf("docs/options.md");
  const sources = Object.entries(entrySources());

  // Requirement: ways-in.documented-code-compiles
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
    const values = Object.keys((await import(`../../${source}`)) as object);
    expect(values.length).toBeGreaterThan(0);
    expect(values.filter((value) => !rows.includes(`\`${value}\``))).toEqual([]);
  });

  const manual = guides
    .filter(({ file }) => !/(?:options|results|specification)\.md$/.test(file))
    .concat(pageAt("README.md"));
  const shownCode = manual.map(({ text }) => codeOf(text)).join("\n");
  const isShown = (name: string): boolean => new RegExp(`\\b${name}\\b`).test(shownCode);

  it.each(sources)("shows every value of the entry %s in a guide, and names every type", async (_entry, source) => {
    const values = Object.keys((await import(`../../${source}`)) as object);
    expect(values.filter((name) => !isShown(name))).toEqual([]);
    expect(surface.names(source).filter((name) => !isShown(name) && !reference.includes(`\`${name}\``))).toEqual([]);
  });

  // 130, and the three of ./ai-sdk.
  it("describes at most 133 names, each with one meaning in all entries", () => {
    const names = new Set(sources.flatMap(([, source]) => surface.names(source)));
    expect(names.size).toBe(surface.meanings);
    expect(names.size).toBeLessThanOrEqual(133);
  });

  it("shows every option in a guide", () => {
    const options = Array.from(reference.matchAll(/^\| `([a-z]\w*)` \| /gm), ([, name = ""]) => name);
    expect(options.length).toBeGreaterThan(100);
    expect(options.filter((name) => !isShown(name))).toEqual([]);
  });

  // Requirement: ways-in.documented-code-compiles
  it.each(sources)("lists every option of the entry %s with its default", (_entry, source) => {
    const faults = surface
      .options(source)
      .flatMap(({ name, fields }) =>
        fields.filter((field) => !hasRow(sectionOf(name), field)).map((field) => `${name}.${field.name}`),
      );
    expect(faults.filter((fault) => !elsewhere.has(fault.split(".")[0] ?? ""))).toEqual([]);
  });

  it.each(sources)("has a section or a sentence for every option type of the entry %s", (_entry, source) => {
    const names = surface.options(source).map(({ name }) => name);
    const missing = names.filter((name) => !elsewhere.has(name) && !reference.includes(`\`${name}\``));
    expect(missing).toEqual([]);
  });

  it.each(sources)("lists no option that the entry %s does not have", (_entry, source) => {
    const unknown = surface.options(source).flatMap(({ name, allNames }) =>
      Array.from(sectionOf(name).matchAll(/^\| `([^`]+)` \| /gm), ([, row = ""]) => row)
        .filter((row) => !allNames.includes(row))
        .map((row) => `${name}.${row}`),
    );
    expect(unknown).toEqual([]);
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
    const sections = Array.from(reference.matchAll(/^### `(.+)`$/gm), ([, name = ""]) => name);
    const names = new Set(sources.flatMap(([, source]) => surface.options(source)).map(({ name }) => name));
    expect(sections.filter((name) => !names.has(name))).toEqual([]);
  });

  function sectionOf(name: string): string {
    return new RegExp(`^### \`${name}\`\n[^]*?(?=^##)`, "m").exec(`${reference}\n##`)?.[0] ?? "";
  }

  describe("the page of the results", () => {
    const results = surface.results("src/index.ts", [
      "Memory",
      "MemoryHistory",
      "MemoryProposals",
      "MongoMemoryStore",
      "migrateFromMongoDBStore",
    ]);
    const described = [...results, { name: "MemoryRun", fields: surface.fieldsOf("src/index.ts", "MemoryRun") }].filter(
      // options.md
      ({ name }) => name !== "MemoryActor",
    );
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
      expect(names).toEqual(expect.arrayContaining(["SearchHit", "GrepMatch", "MemoryChange", "MemoryVersion"]));
      expect(names).toEqual(
        expect.arrayContaining(["BlamedLine", "TextOccurrences", "ProposalSummary", "RefusedItem"]),
      );
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

  // Requirement: errors.codes
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

/** Types that look like options, but describe something else. They have a page of their own. */
const elsewhere: ReadonlySet<string> = new Set([
  "BackendFeatures", // writing-a-backend.md
  "CallContext", // writing-a-backend.md
  "ChangeOptions", // writing-a-backend.md
  "ToolDefinition", // writing-a-dialect.md
]);

/** The code of a page, in blocks and in lines. */
function codeOf(text: string): string {
  return Array.from(text.matchAll(/^```\w*\n[^]*?^```|`[^`\n]+`/gm), ([code]) => code).join("\n");
}

/** Whether a row of the section has the default of the option, or says that it is required. */
function hasRow(section: string, { name, defaultText, isRequired }: OptionField): boolean {
  const row = section.split("\n").find((line) => line.startsWith(`| \`${name}\` | `));
  if (row === undefined) return false;
  const [literal] = /^(?:"[^"]*"|[\d_]+|\[.*\]|\{.*\}|true|false|null)(?=$| \(|,)/.exec(defaultText) ?? [];
  if (literal !== undefined) return row.includes(`| \`${literal}\` |`);
  return (
    !section.includes("| option | default |") || row.includes("| required |") === (isRequired && defaultText === "")
  );
}

type Table = Record<string, string>;

async function packageJson(): Promise<Record<"scripts" | "peerDependencies" | "peerDependenciesMeta", Table>> {
  return JSON.parse(await readFile("package.json", "utf8")) as Awaited<ReturnType<typeof packageJson>>;
}

/** What the program's own help does not know of a command line: the command, or options of it. */
async function faultsOfCommand(command: string): Promise<string[]> {
  const [first = "", second = "", ...rest] = command
    .replace(/^(?:npx (?:-y )?)?langgraph-mongo-memory /, "")
    .split(/\s+/);
  if (first === "help") return [];
  const words = first === "migrate" ? [first, second] : [first];
  const { stdout } = await cli([...words, "--help"]);
  if (!stdout.startsWith(`Usage: langgraph-mongo-memory ${words.join(" ")} `)) return [`${command}: no such command`];
  const options = [second, ...rest].filter((word) => /^--?[a-z]/i.test(word));
  return options
    .filter((option) => !new RegExp(`(?:^|[ ,])${option}(?:[ ,]|$)`, "m").test(stdout))
    .map((option) => `${command}: ${option}`);
}
