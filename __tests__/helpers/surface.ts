import ts from "typescript";
import { entrySources } from "../../tools/build/entries.js";

export interface OptionType {
  name: string;
  /** The names of the type's own fields, and of those of a type that it extends and that has no section. Empty for a type alias. */
  fields: string[];
}

const isInternal = (field: ts.Symbol): boolean => field.getJsDocTags().some(({ name }) => name === "internal");

/** Reads the exports of the entries through the compiler. */
export class Surface {
  readonly #program: ts.Program;
  readonly #checker: ts.TypeChecker;
  readonly #exported: ReadonlySet<ts.Symbol>;
  readonly #hasSection: (name: string) => boolean;

  /** @param hasSection whether the reference describes a type by itself: others that extend it do not repeat its fields */
  constructor(program: ts.Program, hasSection: (name: string) => boolean) {
    this.#program = program;
    this.#checker = program.getTypeChecker();
    const sources = Object.values(entrySources());
    this.#exported = new Set(
      sources.flatMap((source) => this.#exportsOf(source).map((symbol) => this.#resolved(symbol))),
    );
    this.#hasSection = hasSection;
  }

  /**
   * Finds the types that callers fill in: by name, or because a field has a default, or because all fields are optional.
   * They are exported, or are the type of a parameter of what is exported, or of a field of such a type.
   */
  options(source: string): OptionType[] {
    return [...this.#optionTypesOf(source)].map((symbol) => {
      const type = this.#checker.getDeclaredTypeOfSymbol(symbol);
      const all = type.isUnion() ? [] : this.#checker.getPropertiesOfType(type);
      const isAlias = (symbol.flags & ts.SymbolFlags.TypeAlias) !== 0;
      return {
        name: symbol.name,
        fields: all
          .filter((field) => !isAlias && this.#isOwnField(field, symbol) && !isInternal(field))
          .map((field) => field.name),
      };
    });
  }

  #optionTypesOf(source: string): Set<ts.Symbol> {
    const found = new Set<ts.Symbol>();
    const add = (type: ts.Type): void => {
      if (type.isUnionOrIntersection()) return type.types.forEach(add);
      const symbol = type.aliasSymbol ?? type.getSymbol();
      if (symbol === undefined || found.has(symbol) || symbol.declarations?.some(isOurs) !== true) return;
      if (this.#isOptionType(symbol)) addWithFields(symbol);
    };
    const addWithFields = (symbol: ts.Symbol): void => {
      found.add(symbol);
      const type = this.#checker.getDeclaredTypeOfSymbol(symbol);
      if (type.isUnion()) type.types.forEach(add);
      if (type.isClassOrInterface()) this.#checker.getBaseTypes(type).forEach(add);
      const fields = this.#checker.getPropertiesOfType(type);
      fields.filter((field) => !isInternal(field)).forEach((field) => add(this.#checker.getTypeOfSymbol(field)));
    };
    for (const symbol of this.#exportsOf(source).map((each) => this.#resolved(each))) {
      if (this.#isOptionType(symbol)) addWithFields(symbol);
      const constructors = this.#checker.getTypeOfSymbol(symbol).getConstructSignatures();
      const signatures = [...this.#signaturesOf(symbol), ...constructors];
      const parameters = signatures.flatMap((signature) => [...signature.getParameters()]);
      parameters.forEach((parameter) => add(this.#checker.getTypeOfSymbol(parameter)));
    }
    return found;
  }

  #isOptionType(symbol: ts.Symbol): boolean {
    if (/(?:Options|Config|Context|Template|Capabilities)$/.test(symbol.name)) return true;
    if (!(symbol.flags & ts.SymbolFlags.Interface)) return false;
    const own = Array.from(symbol.members?.values() ?? []);
    return (
      own.some((field) => this.#defaultText(field) !== "") ||
      (own.length > 0 && own.every((field) => field.flags & ts.SymbolFlags.Optional))
    );
  }

  /** Whether the type declares the field, or extends the type that does, unless that type has a section. */
  #isOwnField(field: ts.Symbol, type: ts.Symbol): boolean {
    return (field.declarations ?? []).some(({ parent }) => {
      if (!ts.isInterfaceDeclaration(parent)) return true;
      const owner = this.#checker.getSymbolAtLocation(parent.name);
      if (owner === undefined || owner === type) return true;
      return !this.#hasSection(owner.name) && isExtendedBy(parent, type);
    });
  }

  #defaultText(field: ts.Symbol): string {
    const tag = field.getJsDocTags(this.#checker).find(({ name }) => name === "default");
    return tag?.text?.map(({ text }) => text).join("") ?? "";
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
