import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import ts from "typescript";
import { entrySources } from "../../tools/build/entries.js";
import { tutorialPage, tutorialSteps } from "./tutorial.js";

export interface Page {
  /** Path from the folder of the project. */
  file: string;
  text: string;
}

/** Wider code is cut off beside the outline of the site, on a screen of 1280 pixels. */
export const mostColumns = 76;

/** Returns the pages for users: the README and the documentation, except the decisions. */
export function documentationPages(): Page[] {
  const pagesIn = (folder: string): string[] =>
    readdirSync(folder)
      .filter((name) => name.endsWith(".md"))
      .map((name) => `${folder}/${name}`);
  const folders = ["docs", "docs/cookbook", "docs/tools"];
  return ["README.md", ...folders.flatMap(pagesIn)].map((file) => pageAt(file));
}

/** Returns a function that gives the text of a page by its file, and "" for a page that is not there. */
export function textIn(pages: readonly Page[]): (file: string) => string {
  return (file) => pages.find((page) => page.file === file)?.text ?? "";
}

export function pageAt(file: string, root = "."): Page {
  return { file, text: readFileSync(join(root, file), "utf8") };
}

/**
 * Finds the links of a page whose file or heading does not exist. Links to other sites are not checked, because the
 * network may be missing.
 */
export function brokenLinks({ file, text }: Page, root = "."): string[] {
  const links = Array.from(withoutCode(text).matchAll(/\]\(([^)]+)\)/g), ([, link = ""]) =>
    link.replaceAll(/\s+/g, " "),
  );
  return links.filter((link) => {
    if (link.startsWith("https://")) return false;
    const [path = "", anchor] = link.split("#");
    const target = path === "" ? join(root, file) : join(root, dirname(file), path);
    if (!existsSync(target)) return true;
    return anchor !== undefined && !anchorsOf(target).includes(anchor);
  });
}

function anchorsOf(file: string): string[] {
  if (!file.endsWith(".md")) return [];
  const titles = withoutCode(readFileSync(file, "utf8")).matchAll(/^#+ (.+)$/gm);
  return Array.from(titles, ([, title = ""]) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, "")
      .replaceAll(" ", "-"),
  );
}

export function withoutCode(markdown: string): string {
  return markdown.replaceAll(/^```[^]*?^```/gm, "");
}

/** Returns the lines of code that are too wide. Blocks of `text` and `yaml` may quote what programs print. */
export function wideLines(markdown: string, mayQuote: boolean): string[] {
  const blocks = markdown.matchAll(/^```(\w*)\n([^]*?)^```/gm);
  return Array.from(blocks, ([, language = "", code = ""]) => ({ language, code }))
    .filter(({ language }) => !(mayQuote ? ["text", "yaml"] : ["text"]).includes(language))
    .flatMap(({ code }) => code.split("\n").filter((line) => line.length > mostColumns));
}

/** Returns the commands of shell blocks and of code in running text, split at `&&`, `|` and `>`. */
export function commandsOf(markdown: string): string[] {
  const blocks = Array.from(markdown.matchAll(/```sh\n([^]*?)```/g), ([, code = ""]) =>
    code.replaceAll(/\\\n */g, "").split("\n"),
  ).flat();
  const inline = Array.from(markdown.matchAll(/`((?:npm|npx|node) [^`]+)`/g), ([, code = ""]) => code);
  const commands = [...blocks, ...inline].flatMap((line) => line.split(/&&|[|]|>/));
  return commands.map((command) => command.trim()).filter(Boolean);
}

/**
 * Returns the programs, in TypeScript (`ts`) or JavaScript (`mjs`). A program that imports nothing continues the
 * previous one.
 */
export function programsOf(markdown: string): string[] {
  const programs: string[] = [];
  for (const [, code = ""] of markdown.matchAll(/```(?:ts|mjs)\n([^]*?)```/g)) {
    programs.push(code.startsWith("import ") ? code : (programs.pop() ?? "") + code);
  }
  return programs;
}

/** Programs that serve or poll for as long as they run. */
export const isEndless =
  /export const page =|\.listen\(|new StdioServerTransport|serve(?:Http|Stdio)\(|globalThis|for \(;;\)/;

/**
 * Compiles the code of all pages as one program, with the settings of the project except the check for unused names,
 * which snippets contain. The page of the tutorial stands for the whole program after each step. The files exist only in
 * memory.
 */
export function compilePages(pages: readonly Page[]): { program: ts.Program; snippets: ReadonlySet<string> } {
  const root = ts.sys.getCurrentDirectory();
  const programs = ({ file, text }: Page): string[] =>
    file === tutorialPage ? tutorialSteps().map(({ program }) => program) : programsOf(text);
  const files = new Map(
    pages.flatMap(({ file, text }) =>
      programs({ file, text }).map((code, index): [string, string] => [`${root}/${file}.${index}.mts`, code]),
    ),
  );
  // Programs of a page import the agent that its first program exports.
  const agent = `${root}/docs/agent.ts`;
  files.set(agent, files.get(`${root}/docs/deploy.md.0.mts`) ?? "");
  const settings = { ...compilerOptions(), noUnusedLocals: false, paths: { "@/agent": [agent] } };
  const disk = ts.createCompilerHost(settings);
  const host = Object.assign(ts.createCompilerHost(settings), {
    fileExists: (path: string) => files.has(path) || disk.fileExists(path),
    readFile: (path: string) => files.get(path) ?? disk.readFile(path),
  });
  return {
    program: ts.createProgram([...files.keys(), ...entryFiles()], settings, host),
    snippets: new Set(files.keys()),
  };
}

/** Compiles the entries of the package alone. */
export function createEntriesProgram(): ts.Program {
  return ts.createProgram(entryFiles(), compilerOptions());
}

function compilerOptions(): ts.CompilerOptions {
  const { config } = ts.readConfigFile("tsconfig.json", (path) => ts.sys.readFile(path)) as { config: unknown };
  return ts.parseJsonConfigFileContent(config, ts.sys, ts.sys.getCurrentDirectory()).options;
}

function entryFiles(): string[] {
  return Object.values(entrySources()).map((source) => `${ts.sys.getCurrentDirectory()}/${source}`);
}
