import { existsSync, readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { describe, expect, it } from "@jest/globals";
import {
  brokenLinks,
  commandsOf,
  documentationPages,
  isEndless,
  pageAt,
  programsOf,
  textIn,
  wideLines,
} from "../../helpers/documentation.js";
import { defaultInstructions } from "../../../src/learn/instructions.js";
import { cli } from "../../helpers/run-cli.js";

const pages = documentationPages();
const textOf = textIn(pages);
const readmes = ["examples", ...readdirSync("examples").map((name) => `examples/${name}`)]
  .map((folder) => `${folder}/README.md`)
  .filter((file) => existsSync(file))
  .map((file) => pageAt(file));
const skill = pageAt("skills/langgraph-mongo-memory/SKILL.md");

/** What else the pages of a name may tell a reader to run, by pages and commands. */
const knownCommands: readonly (readonly [files: RegExp, commands: RegExp])[] = [
  [/^/, /^npm (?:ci|test|install|start)$|^cd [\w-]+$/],
  // What examples of pipes are made of.
  [/^/, /^(?:export MONGODB_URI=\S+|date|gzip|gunzip -c [\w.]+\.gz|[\w.]+\.(?:txt|gz|patch)|grep [\w-]+)$/],
  // The quick start and the tutorial: `npm run check:first-minutes` and a test run them.
  [
    /^(?:README|docs\/tutorial)\.md$/,
    /^(?:npm pkg set type=module|npm docs langgraph-mongo-memory|node \w+\.m?js|docker run .* mongo:\d+|export OPENAI_API_KEY=\S+)$/,
  ],
  [/^docs\/install\.md$/, /^npx tsx agent\.mts$/],
  [/\/test-an-agent\.md$/, /^npx tsx --test agent\.test\.mts$/],
  [/^examples\/langgraph-server\/README\.md$/, /^npm run dev$/],
  [/^docs\/command-line\.md$/, /^npx (?:langgraph-mongo-memory|lgmm)$/],
  // How clients of MCP are told the command: `pins/listings.test.ts` reads what follows. How a token is made.
  [/^docs\/mcp\.md$/, /^claude mcp add |^pip install mcp$|^node -p "crypto\.randomBytes\(32\)\.toString\('hex'\)"$/],
  [/\/edit-in-an-editor\.md$/, /^diff -ru -x \.langgraph-mongo-memory now vault$/],
  [/\/encrypt-texts\.md$/, /^npm install mongodb mongodb-client-encryption$/],
  [/^docs\/scaling\.md$/, /^mongod --replSet rs0$|^mongosh --eval "rs\.initiate\(\)"$/],
];

describe("the documentation", () => {
  it.each([...pages, ...readmes])("$file names commands that exist", async ({ file, text }) => {
    const manifest = await packageJson();
    const isKnown = (command: string): boolean =>
      knownCommands.some(([files, pattern]) => files.test(file) && pattern.test(command)) ||
      Object.keys(manifest.scripts).some((script) => command === `npm run ${script}`) ||
      existsSync(/^npx tsx (examples\/\S+\.ts)$/.exec(command)?.[1] ?? "") ||
      isInstallation(command, manifest);
    const commands = commandsOf(text);
    if (!file.startsWith("docs/")) expect(commands.length).toBeGreaterThan(0);
    const ofTheProgram = commands.filter((command) => /^(?:npx (?:-y )?)?langgraph-mongo-memory /.test(command));
    const others = commands.filter((command) => !ofTheProgram.includes(command));
    expect(others.filter((command) => !isKnown(command))).toEqual([]);
    expect((await Promise.all(ofTheProgram.map(faultsOfCommand))).flat()).toEqual([]);
  });

  it.each([...pages, ...readmes])("$file links to what exists", (page) => {
    expect(brokenLinks(page)).toEqual([]);
  });

  const narrowed = [...pages, ...readmes, skill];

  it.each(narrowed)("$file has no code that is wider than the page", ({ file, text }) => {
    // What a program prints stands there as it is printed. The site breaks these lines.
    expect(wideLines(text, /^(?:docs\/tools|examples)\//.test(file))).toEqual([]);
  });

  it.each(narrowed)("$file redirects by a path, because behind TLS a request's own address is http", ({ text }) => {
    expect(text).not.toMatch(/redirect\([^;]*\.url\b/i);
  });

  it("lists every page once in its index", () => {
    const names = pages.map(({ file }) => file.replace("docs/", ""));
    const indexes = ["README.md", "pages.md"];
    const listed = Array.from(
      textOf("docs/pages.md").matchAll(/^\| \[[^\]]+\]\(([^)]+)\) \| /gm),
      ([, name = ""]) => name,
    );
    const others = ["decisions/README.md", "../.github/CONTRIBUTING.md"];
    expect(listed.toSorted()).toEqual([...names.filter((name) => !indexes.includes(name)), ...others].toSorted());
  });

  it("shows ten links at the first click, of which one leads to all pages", () => {
    const links = Array.from(textOf("docs/README.md").matchAll(/\]\(([^)]+)\)/g), ([, link]) => link);
    expect(links).toHaveLength(10);
    expect(links).toContain("pages.md");
  });

  it("lists every decision", () => {
    const index = pageAt("docs/decisions/README.md").text;
    const decisions = readdirSync("docs/decisions").filter((name) => /^\d+-.+\.md$/.test(name));
    expect(decisions.length).toBeGreaterThan(0);
    expect(decisions.filter((name) => !index.includes(`](${name})`))).toEqual([]);
  });

  it("names the versions that are asked for and those that were tested", async () => {
    const { peerDependencies, peerDependenciesMeta } = await packageJson();
    expect(Object.keys(peerDependenciesMeta)).toEqual([
      "@langchain/openai",
      "@modelcontextprotocol/node",
      "@modelcontextprotocol/server",
      "ai",
      "deepagents",
      "langchain",
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

it("the documentation shows the instructions of learn in full", () => {
  expect(textOf("docs/learn.md")).toContain(`\`\`\`text\n${defaultInstructions}\n\`\`\``);
});

describe("the programs of the pages", () => {
  const programs = [...pages, skill].flatMap(({ file, text }) => programsOf(text).map((code) => ({ file, code })));

  it("end, so they stop the store that they open, unless they serve for ever", () => {
    const open = programs.filter(
      ({ code }) => /MongoMemoryStore\(|fromConnString\(/.test(code) && !isEndless.test(code),
    );
    expect(open.length).toBeGreaterThan(40);
    // The program of the tutorial ends in its last step.
    const endless = open.filter(({ file, code }) => !code.includes(".stop()") && file !== "docs/tutorial.md");
    expect(endless).toEqual([]);
  });

  it("never call a history or proposals that are null without a word", () => {
    expect(programs.filter(({ code }) => /\b(?:history|proposals)\?\./.test(code))).toEqual([]);
  });
});

describe("the README", () => {
  it("has a picture of the page that leads to the recording, and a diagram, with words for who cannot see them", () => {
    const pictures = Array.from(textOf("README.md").matchAll(/!\[([^\]]*)\]\(([^)]+)\)/g));
    expect(pictures.map(([, , file]) => file)).toEqual(["docs/images/page.webp", "docs/images/how-it-works.svg"]);
    expect(textOf("README.md")).toContain(")](docs/images/recording.webp)");
    for (const [, words] of pictures) expect(words).toMatch(/\w{3}/);
  });
});

/** Whether a command installs the package or some of its peers, by Yarn all that it needs. */
function isInstallation(command: string, { peerDependencies, peerDependenciesMeta }: Manifest): boolean {
  const [program, verb, ...names] = command.split(" ");
  const ours = ["langgraph-mongo-memory", ...Object.keys(peerDependencies)];
  if (program === "npm") return verb === "install" && names.length > 0 && names.every((name) => ours.includes(name));
  const needed = ours.filter((name) => !(name in peerDependenciesMeta));
  return `${program} ${verb}` === "yarn add" && names.toSorted().join() === needed.toSorted().join();
}

type Table = Record<string, string>;

type Manifest = Record<"scripts" | "peerDependencies" | "peerDependenciesMeta", Table>;

async function packageJson(): Promise<Manifest> {
  return JSON.parse(await readFile("package.json", "utf8")) as Manifest;
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
