import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import ts from "typescript";

/** Names that two files may declare on purpose. A re-export declares nothing, so it needs no place here. */
const allowed: readonly string[] = [];

describe("exported types and classes of src", () => {
  const files = readdirSync("src", { recursive: true, encoding: "utf8" })
    .map((file) => join("src", file))
    .filter((file) => /\.tsx?$/.test(file));

  it("have one name a meaning: no two files declare the same", () => {
    const twice = namesDeclaredTwice(files.map((file) => [file, readFileSync(file, "utf8")]));
    expect(twice.filter(({ name }) => !allowed.includes(name))).toEqual([]);
  });

  it("would be found", () => {
    const one = 'export class Memory {}\nexport type { Other } from "./other.js";\ninterface Local {}';
    const other = "export interface Memory {}\nexport type Other = string;\nexport type Local = string;";
    expect(
      namesDeclaredTwice([
        ["src/a.ts", one],
        ["src/b.ts", other],
      ]),
    ).toEqual([{ name: "Memory", files: ["src/a.ts", "src/b.ts"] }]);
  });
});

function namesDeclaredTwice(sources: readonly [file: string, text: string][]): { name: string; files: string[] }[] {
  const filesByName = new Map<string, string[]>();
  for (const [file, text] of sources) {
    for (const name of exportedTypes(file, text)) filesByName.set(name, [...(filesByName.get(name) ?? []), file]);
  }
  const declared = Array.from(filesByName, ([name, files]) => ({ name, files }));
  return declared.filter(({ files }) => files.length > 1);
}

function exportedTypes(file: string, text: string): string[] {
  const { statements } = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
  return statements.flatMap((statement) => {
    const isType =
      ts.isInterfaceDeclaration(statement) ||
      ts.isTypeAliasDeclaration(statement) ||
      ts.isClassDeclaration(statement) ||
      ts.isEnumDeclaration(statement);
    const isExported = isType && statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
    return isExported && statement.name !== undefined ? [statement.name.text] : [];
  });
}
