import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import ts from "typescript";
import { entrySources } from "../../entries.config.js";

export interface Page {
  /** From the folder of the project. */
  file: string;
  text: string;
}

/** The pages for users: the README, the guides, and the pages of the tools. */
export function documentationPages(): Page[] {
  const pagesIn = (folder: string): string[] =>
    readdirSync(folder)
      .filter((name) => name.endsWith(".md"))
      .map((name) => `${folder}/${name}`);
  return ["README.md", ...pagesIn("docs"), ...pagesIn("docs/tools")].map((file) => pageAt(file));
}

export function pageAt(file: string, root = "."): Page {
  return { file, text: readFileSync(join(root, file), "utf8") };
}

/**
 * The links of a page that lead nowhere: to no file, or to no heading of one. Links out of the project are not checked,
 * so there may be none.
 */
export function brokenLinks({ file, text }: Page, root = "."): string[] {
  const links = Array.from(withoutCode(text).matchAll(/\]\(([^)]+)\)/g), ([, link = ""]) =>
    link.replaceAll(/\s+/g, " "),
  );
  return links.filter((link) => {
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

/**
 * The commands of shell blocks and of code in running text, each without what it is connected to by `&&`, `|` and `>`.
 */
export function commandsOf(markdown: string): string[] {
  const blocks = Array.from(markdown.matchAll(/```sh\n([^]*?)```/g), ([, code = ""]) => code.split("\n")).flat();
  const inline = Array.from(markdown.matchAll(/`((?:npm|npx|node) [^`]+)`/g), ([, code = ""]) => code);
  const commands = [...blocks, ...inline].flatMap((line) => line.split(/&&|[|]|>/));
  return commands.map((command) => command.trim()).filter(Boolean);
}

/** The programs, in TypeScript (`ts`) or JavaScript (`mjs`); one that imports nothing goes on from the one before. */
export function programsOf(markdown: string): string[] {
  const programs: string[] = [];
  for (const [, code = ""] of markdown.matchAll(/```(?:ts|mjs)\n([^]*?)```/g)) {
    programs.push(code.startsWith("import ") ? code : (programs.pop() ?? "") + code);
  }
  return programs;
}

/**
 * One program of the code of all pages, under the settings of the project but for unused names, which snippets have.
 * Its files exist in no folder.
 */
export function compilePages(pages: readonly Page[]): { program: ts.Program; snippets: ReadonlySet<string> } {
  const root = ts.sys.getCurrentDirectory();
  const files = new Map(
    pages.flatMap(({ file, text }) =>
      programsOf(text).map((code, index): [string, string] => [`${root}/${file}.${index}.ts`, code]),
    ),
  );
  const { config } = ts.readConfigFile("tsconfig.json", (path) => ts.sys.readFile(path)) as { config: unknown };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const settings = { ...options, noUnusedLocals: false };
  const disk = ts.createCompilerHost(settings);
  const host = Object.assign(ts.createCompilerHost(settings), {
    fileExists: (path: string) => files.has(path) || disk.fileExists(path),
    readFile: (path: string) => files.get(path) ?? disk.readFile(path),
  });
  const entries = Object.values(entrySources()).map((source) => `${root}/${source}`);
  return { program: ts.createProgram([...files.keys(), ...entries], settings, host), snippets: new Set(files.keys()) };
}

/** What the entries export, by the compiler. */
export class Surface {
  readonly #program: ts.Program;
  readonly #checker: ts.TypeChecker;

  constructor(program: ts.Program) {
    this.#program = program;
    this.#checker = program.getTypeChecker();
  }

  /** The fields of the option objects themselves, without those of the interfaces they extend. */
  options(source: string): { name: string; fields: { name: string; defaultText: string }[] }[] {
    const named = this.#exportsOf(source).filter(({ name }) =>
      /(?:Options|Config|Context|Template|Capabilities)$/.test(name),
    );
    return named.map((symbol) => ({
      name: symbol.name,
      fields: Array.from(this.#resolved(symbol).members?.values() ?? [], (field) => {
        const tag = field.getJsDocTags(this.#checker).find(({ name }) => name === "default");
        return { name: field.name, defaultText: tag?.text?.[0]?.text ?? "" };
      }),
    }));
  }

  /** The members of a union of literal texts. */
  literals(source: string, name: string): string[] {
    const symbol = this.#exportsOf(source).find((each) => each.name === name);
    const type = symbol && this.#checker.getDeclaredTypeOfSymbol(this.#resolved(symbol));
    return type?.isUnion() ? type.types.map((each) => (each.isStringLiteral() ? each.value : "")) : [];
  }

  #exportsOf(source: string): ts.Symbol[] {
    const file = this.#program.getSourceFile(`${ts.sys.getCurrentDirectory()}/${source}`);
    const module = file && this.#checker.getSymbolAtLocation(file);
    return module ? this.#checker.getExportsOfModule(module) : [];
  }

  #resolved(symbol: ts.Symbol): ts.Symbol {
    return symbol.flags & ts.SymbolFlags.Alias ? this.#checker.getAliasedSymbol(symbol) : symbol;
  }
}
