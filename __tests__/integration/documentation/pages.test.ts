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
import { cli } from "../../helpers/run-cli.js";

const pages = documentationPages();
const textOf = textIn(pages);
const readmes = ["examples", ...readdirSync("examples").map((name) => `examples/${name}`)]
  .map((folder) => `${folder}/README.md`)
  .filter((file) => existsSync(file))
  .map((file) => pageAt(file));
const skill = pageAt("skills/langgraph-mongo-memory/SKILL.md");

describe("the documentation", () => {
  it.each([...pages, ...readmes])("$file names commands that exist", async ({ file, text }) => {
    const { scripts, peerDependencies, peerDependenciesMeta } = await packageJson();
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
        /^(?:npm pkg set type=module|npx skills add \S+\/langgraph-mongo-memory|node \w+\.m?js|docker run .* mongo:\d+|export OPENAI_API_KEY=\S+)$/.test(
          command,
        ) && ["README.md", "docs/tutorial.md"].includes(file),
      // `npm run check:compatibility` runs it under Plug'n'Play.
      (command) => isYarnLine(command, { peerDependencies, peerDependenciesMeta }) && file === "docs/install.md",
      // How a reader runs a program of the pages.
      (command) => command === "npx tsx agent.mts" && file === "docs/install.md",
      (command) => command === "npx tsx --test agent.test.mts" && file.endsWith("/test-an-agent.md"),
      // What an example is run by, in its copy.
      (command) => /^(?:cd [\w-]+|npm install|npm start)$/.test(command),
      (command) => command === "npm run dev" && file === "examples/langgraph-server/README.md",
      // The names of the program.
      (command) => /^npx (?:langgraph-mongo-memory|lgmm)$/.test(command) && file === "docs/command-line.md",
      // How clients of MCP are told the command: `pins/listings.test.ts` reads what follows.
      (command) => command.startsWith("claude mcp add ") && file === "docs/mcp.md",
      // How a token is made.
      (command) => command === `node -p "crypto.randomBytes(32).toString('hex')"` && file === "docs/mcp.md",
      // How a folder is compared with a later copy.
      (command) =>
        command === "diff -ru -x .langgraph-mongo-memory now vault" && file.endsWith("/edit-in-an-editor.md"),
      // What is installed for a program in Python.
      (command) => command === "pip install mcp" && file === "docs/mcp.md",
      // What encrypts is an optional package of the driver.
      (command) => command === "npm install mongodb mongodb-client-encryption" && file.endsWith("/encrypt-texts.md"),
      // How a server becomes a replica set of one.
      (command) =>
        ["mongod --replSet rs0", 'mongosh --eval "rs.initiate()"'].includes(command) && file === "docs/scaling.md",
      // What examples of pipes are made of.
      (command) =>
        /^(?:export MONGODB_URI=\S+|date|gzip|gunzip -c [\w.]+\.gz|[\w.]+\.(?:txt|gz|patch)|grep [\w-]+)$/.test(
          command,
        ),
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

  const narrowed = [...pages, ...readmes, skill];

  it.each(narrowed)("$file has no code that is wider than the page", ({ file, text }) => {
    // What a program prints stands there as it is printed. The site breaks these lines.
    expect(wideLines(text, /^(?:docs\/tools|examples)\//.test(file))).toEqual([]);
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
  // npm shows it from the repository: the package is smaller without it.
  it("has the recording of the page, with words for who cannot see it", () => {
    const pictures = Array.from(textOf("README.md").matchAll(/!\[([^\]]*)\]\(([^)]+)\)/g));
    expect(pictures.map(([, , file]) => file)).toEqual(["docs/images/recording.webp"]);
    expect(pictures[0]?.[1]).toMatch(/\w{3}/);
  });
});

/** Whether a command adds the package with all peers that it needs, and no other. */
function isYarnLine(
  command: string,
  { peerDependencies, peerDependenciesMeta }: Pick<Manifest, "peerDependencies" | "peerDependenciesMeta">,
): boolean {
  const needed = Object.keys(peerDependencies).filter((name) => !(name in peerDependenciesMeta));
  const [program, verb, ...names] = command.split(" ");
  return (
    `${program} ${verb}` === "yarn add" &&
    names.toSorted().join() === ["langgraph-mongo-memory", ...needed].toSorted().join()
  );
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
