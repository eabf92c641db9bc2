import ts from "typescript";
import { entrySources } from "../../tools/build/entries.js";

export interface OptionField {
  name: string;
  /** The text of `@default`, or empty. */
  defaultText: string;
  isRequired: boolean;
}

export interface OptionType {
  name: string;
  /** The type's own fields, and those of a type that it extends and that no entry exports. Empty for a type alias. */
  fields: OptionField[];
  /** The names of all its fields. */
  allNames: string[];
}

export interface ResultField {
  name: string;
  /** Whether the field may be missing or null. */
  mayBeAbsent: boolean;
}

/** A type of what calls return. */
export interface ResultType {
  name: string;
  fields: ResultField[];
}

const isInternal = (field: ts.Symbol): boolean => field.getJsDocTags().some(({ name }) => name === "internal");

/** Reads the exports of the entries through the compiler. */
export class Surface {
  readonly #program: ts.Program;
  readonly #checker: ts.TypeChecker;
  readonly #exported: ReadonlySet<ts.Symbol>;

  constructor(program: ts.Program) {
    this.#program = program;
    this.#checker = program.getTypeChecker();
    const sources = Object.values(entrySources());
    this.#exported = new Set(
      sources.flatMap((source) => this.#exportsOf(source).map((symbol) => this.#resolved(symbol))),
    );
  }

  /**
   * Finds the exported types that callers fill in: by name, or because a field has a default, or because all fields are
   * optional.
   */
  options(source: string): OptionType[] {
    return this.#exportsOf(source)
      .filter((symbol) => this.#isOptionType(symbol))
      .map((symbol) => {
        const type = this.#checker.getDeclaredTypeOfSymbol(this.#resolved(symbol));
        const all = type.isUnion() ? [] : this.#checker.getPropertiesOfType(type);
        const isAlias = (this.#resolved(symbol).flags & ts.SymbolFlags.TypeAlias) !== 0;
        return {
          name: symbol.name,
          fields: all
            .filter((field) => !isAlias && this.#isOwnField(field, symbol) && !isInternal(field))
            .map((field) => ({
              name: field.name,
              defaultText: this.#defaultText(field),
              isRequired: !(field.flags & ts.SymbolFlags.Optional),
            })),
          allNames: all.map(({ name }) => name),
        };
      });
  }

  #isOptionType(symbol: ts.Symbol): boolean {
    const resolved = this.#resolved(symbol);
    if (/(?:Options|Config|Context|Template|Capabilities)$/.test(symbol.name)) return true;
    if (!(resolved.flags & ts.SymbolFlags.Interface)) return false;
    const own = Array.from(resolved.members?.values() ?? []);
    return (
      own.some((field) => this.#defaultText(field) !== "") ||
      (own.length > 0 && own.every((field) => field.flags & ts.SymbolFlags.Optional))
    );
  }

  /** Whether the type declares the field, or extends the type that does, unless an entry exports that type. */
  #isOwnField(field: ts.Symbol, type: ts.Symbol): boolean {
    const resolved = this.#resolved(type);
    return (field.declarations ?? []).some(({ parent }) => {
      if (!ts.isInterfaceDeclaration(parent)) return true;
      const owner = this.#checker.getSymbolAtLocation(parent.name);
      if (owner === undefined || owner === resolved) return true;
      return !this.#exported.has(owner) && isExtendedBy(parent, resolved);
    });
  }

  #defaultText(field: ts.Symbol): string {
    const tag = field.getJsDocTags(this.#checker).find(({ name }) => name === "default");
    return tag?.text?.map(({ text }) => text).join("") ?? "";
  }

  /** Finds the types of what the methods of these exported types, or these exported functions, return. */
  results(source: string, roots: readonly string[]): ResultType[] {
    const found = new Map<string, ts.Type>();
    for (const name of roots) {
      const symbol = this.#exportsOf(source).find((each) => each.name === name);
      if (symbol === undefined) throw new Error(`${source} does not export ${name}`);
      this.#signaturesOf(this.#resolved(symbol)).forEach((each) => this.#addResults(each.getReturnType(), found));
    }
    return Array.from(found, ([name, type]) => ({ name, fields: this.#fieldsOf(type) }));
  }

  /** Returns the fields of an exported type. */
  fieldsOf(source: string, name: string): ResultField[] {
    const symbol = this.#exportsOf(source).find((each) => each.name === name);
    return symbol ? this.#fieldsOf(this.#checker.getDeclaredTypeOfSymbol(this.#resolved(symbol))) : [];
  }

  #fieldsOf(type: ts.Type): ResultField[] {
    return this.#checker.getPropertiesOfType(type).map((field) => {
      const declared = this.#checker.getTypeOfSymbol(field);
      const parts = declared.isUnion() ? declared.types : [declared];
      const isNullable = parts.some(({ flags }) => (flags & ts.TypeFlags.Null) !== 0);
      return { name: field.name, mayBeAbsent: isNullable || (field.flags & ts.SymbolFlags.Optional) !== 0 };
    });
  }

  /** The signatures of a function, or of the methods of a type that this package declares. */
  #signaturesOf(symbol: ts.Symbol): ts.Signature[] {
    const ofFunction = this.#checker.getTypeOfSymbol(symbol).getCallSignatures();
    if (ofFunction.length > 0) return [...ofFunction];
    const members = this.#checker.getPropertiesOfType(this.#checker.getDeclaredTypeOfSymbol(symbol));
    return members
      .filter((member) => member.declarations?.some((each) => isOurs(each) && isPublic(each)) === true)
      .flatMap((member) => [...this.#checker.getTypeOfSymbol(member).getCallSignatures()]);
  }

  /** Adds the interfaces of this package that a type contains and that have no methods. */
  #addResults(type: ts.Type, found: Map<string, ts.Type>): void {
    if (type.isUnionOrIntersection()) return type.types.forEach((each) => this.#addResults(each, found));
    const symbol = type.getSymbol();
    const isInterface = type.isClassOrInterface() && symbol?.declarations?.some(isOurs) === true;
    const properties = isInterface ? this.#checker.getPropertiesOfType(type) : [];
    const hasMethods = properties.some((each) => (each.flags & ts.SymbolFlags.Method) !== 0);
    if (isInterface && !hasMethods && symbol !== undefined) {
      if (found.has(symbol.name)) return;
      found.set(symbol.name, type);
      properties.forEach((each) => this.#addResults(this.#checker.getTypeOfSymbol(each), found));
      return;
    }
    const bases = isInterface ? this.#checker.getBaseTypes(type) : [];
    const inner = bases.flatMap((base) => [...this.#checker.getTypeArguments(base as ts.TypeReference)]);
    [...inner, ...this.#checker.getTypeArguments(type as ts.TypeReference)].forEach((each) =>
      this.#addResults(each, found),
    );
  }

  /** How many things the entries export. */
  get meanings(): number {
    return this.#exported.size;
  }

  /** Returns the names that an entry exports, types too. */
  names(source: string): string[] {
    return this.#exportsOf(source).map(({ name }) => name);
  }

  /** Returns the members of a union of literal texts. */
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

function isOurs(declaration: ts.Declaration): boolean {
  return declaration.getSourceFile().fileName.startsWith(`${ts.sys.getCurrentDirectory()}/src/`);
}

function isPublic(declaration: ts.Declaration): boolean {
  const name = ts.getNameOfDeclaration(declaration);
  const isHidden = (ts.getCombinedModifierFlags(declaration) & ts.ModifierFlags.Private) !== 0;
  return name !== undefined && ts.isIdentifier(name) && !isHidden;
}

function isExtendedBy(base: ts.InterfaceDeclaration, type: ts.Symbol): boolean {
  return (type.declarations ?? []).some(
    (declaration) =>
      ts.isInterfaceDeclaration(declaration) &&
      (declaration.heritageClauses ?? []).some((clause) =>
        new RegExp(`\\b${base.name.text}\\b`).test(clause.getText()),
      ),
  );
}
