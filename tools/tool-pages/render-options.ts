import { readFileSync } from "node:fs";
import ts from "typescript";

/** A field of a documented type. */
interface Field {
  name: string;
  /** The comment above it, without its default. */
  meaning: string;
  /** The text of `@default`, or empty. */
  defaultText: string;
  isOptional: boolean;
  /** The interface that declares it. */
  owner: string;
}

const origin =
  "<!-- Made by `npm run docs:tools` from the doc comments of the types and from `tools/tool-pages`. Do not edit it here. -->";

/** Reads the template of the page. A heading with the name of a type gets the list of its options. */
export function readOptionsTemplate(): string {
  return readFileSync("tools/tool-pages/options.md", "utf8");
}

/**
 * Renders the page of the options.
 * @param program contains the entries of the package
 * @throws Error if the template names a type or an option that does not exist
 */
export function renderOptionsPage(template: string, program: ts.Program): string {
  const reader = new TypeReader(program);
  const shared = sharedIn(template, reader);
  const types = typesIn(template, reader);
  const sections = template.split(/^(?=##+ )/m).map((section) => {
    const [, name] = new RegExp(typeHeading.source, "m").exec(section) ?? [];
    if (name === undefined) return section.trim();
    return renderOptions(section.trim(), types.get(name) ?? [], { name, types, shared }).trim();
  });
  const page = sections.join("\n\n").replace(/^# .*\n/, (title) => `${title}\n${origin}\n`);
  return `${page.replace(sharedMarker, () => optionList([...shared.values()]))}\n`;
}

const typeHeading = /^##+ `(\w+)`$/gm;

const sharedMarker = /<!-- shared: (.+) -->/;

function typesIn(template: string, reader: TypeReader): Map<string, Field[]> {
  const names = Array.from(template.matchAll(typeHeading), ([, name = ""]) => name);
  return new Map(names.map((name) => [name, reader.fieldsOf(name)]));
}

/** The options that the first section of the page describes once for all. */
function sharedIn(template: string, reader: TypeReader): Map<string, Field> {
  const [, list = ""] = sharedMarker.exec(template) ?? [];
  const fields = list.split(", ").map((entry) => {
    const [type = "", name = ""] = entry.split(".");
    const field = reader.fieldsOf(type).find((each) => each.name === name);
    if (field === undefined) throw new Error(`tools/tool-pages/options.md shares ${entry}, which does not exist`);
    return field;
  });
  return new Map(fields.map((field) => [field.name, field]));
}

interface OptionSection {
  name: string;
  /** The fields of the types that have a section. */
  types: ReadonlyMap<string, readonly Field[]>;
  shared: ReadonlyMap<string, Field>;
}

/** Renders the own options of a type. Those of a type with a section, and shared ones, are named only. */
function renderOptions(section: string, fields: readonly Field[], { name, types, shared }: OptionSection): string {
  const [marker = "", own = ""] = /\s*<!-- own: (.+) -->/.exec(section) ?? [];
  const isShared = (field: Field): boolean => shared.has(field.name) && !own.split(", ").includes(field.name);
  const inherited = fields.filter(({ owner }) => owner !== name && types.has(owner));
  const rest = fields.filter((field) => !inherited.includes(field));
  const owners = Array.from(new Set(inherited.map(({ owner }) => owner)));
  const taken = [
    ...owners.map((owner) => nameInherited(owner, inherited, types.get(owner) ?? [])),
    ...rest.filter(isShared).map((field) => `\`${field.name}\``),
  ];
  const parts = [section.replace(marker, "")];
  if (taken.length > 0) parts.push(`Also takes: ${taken.join(", ")}.`);
  const listed = rest.filter((field) => !isShared(field));
  if (listed.length > 0) parts.push(optionList(listed));
  return parts.join("\n\n");
}

/** Links the section of a type whose options another type takes, all of them or some. */
function nameInherited(owner: string, inherited: readonly Field[], all: readonly Field[]): string {
  const link = `[\`${owner}\`](#${owner.toLowerCase()})`;
  const taken = inherited.filter((field) => field.owner === owner).map((field) => `\`${field.name}\``);
  return taken.length === all.length ? link : `${taken.join(", ")} of ${link}`;
}

function optionList(fields: readonly Field[]): string {
  const items = fields.map(({ name, meaning, defaultText, isOptional }) => {
    const hasDefault = defaultText !== "" && defaultText !== "none";
    const byDefault = hasDefault ? `, default ${withCode(defaultText)}` : isOptional ? "" : ", required";
    return `- \`${name}\`${byDefault}. ${inline(meaning)}${meaning === "" ? "" : "."}`.trim();
  });
  return items.join("\n");
}

/** Marks the literals of a default as code. */
function withCode(text: string): string {
  return inline(
    text.replaceAll(/`[^`]+`|"[^"]*"|\[[^\]]*\]|\b\d[\d_]*(?:\.\d+)?\b|\b(?:true|false)\b/g, (literal) =>
      literal.startsWith("`") ? literal : `\`${literal}\``,
    ),
  );
}

function inline(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, " ").replace(/\.$/, "");
}

/** Reads the types of the package by the compiler. */
class TypeReader {
  readonly #checker: ts.TypeChecker;
  readonly #types = new Map<string, ts.Symbol>();

  constructor(program: ts.Program) {
    this.#checker = program.getTypeChecker();
    const folder = `${ts.sys.getCurrentDirectory()}/src/`;
    const files = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(folder));
    // Of several types of one name, that of `core` is public.
    const isCore = ({ fileName }: ts.SourceFile): boolean => fileName.startsWith(`${folder}core/`);
    for (const file of [...files.filter((each) => !isCore(each)), ...files.filter(isCore)])
      ts.forEachChild(file, (node) => {
        if (!ts.isInterfaceDeclaration(node) && !ts.isTypeAliasDeclaration(node)) return;
        const symbol = this.#checker.getSymbolAtLocation(node.name);
        if (symbol !== undefined) this.#types.set(symbol.name, symbol);
      });
  }

  /** @throws Error if the package has no such type */
  fieldsOf(name: string): Field[] {
    const symbol = this.#types.get(name);
    if (symbol === undefined) throw new Error(`tools/tool-pages describes ${name}, which does not exist`);
    return this.#checker
      .getPropertiesOfType(this.#checker.getDeclaredTypeOfSymbol(symbol))
      .filter((field) => !field.getJsDocTags().some((tag) => tag.name === "internal"))
      .map((field) => this.#describe(field));
  }

  #describe(field: ts.Symbol): Field {
    const tag = field.getJsDocTags(this.#checker).find(({ name }) => name === "default");
    const declaration = field.declarations?.[0];
    const isOptional = (field.flags & ts.SymbolFlags.Optional) !== 0;
    const parent = declaration?.parent;
    return {
      name: field.name,
      meaning: plainLinks(ts.displayPartsToString(field.getDocumentationComment(this.#checker))),
      defaultText: plainLinks(ts.displayPartsToString(tag?.text)),
      isOptional,
      owner: parent !== undefined && ts.isInterfaceDeclaration(parent) ? parent.name.text : "",
    };
  }
}

/** Marks the names that doc comments link as code. */
function plainLinks(text: string): string {
  return text.replaceAll(/\{@link (\w+) ?\}/g, "`$1`");
}
