import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import ts from "typescript";

export interface SourceImport {
  /** The importing file, such as `src/core/values/paths.ts`. */
  from: string;
  /** A file under `src`, or a package's name. */
  to: string;
}

/** Programs for dist, which import files of dist. */
const builtBeside = "mcp/node-entry/";

/** Lists every import of the sources, including type-only, dynamic and re-exporting imports. */
export function sourceImports(): SourceImport[] {
  const files = readdirSync("src", { recursive: true, encoding: "utf8" }).filter(
    (file) => /\.tsx?$/.test(file) && !file.startsWith(builtBeside),
  );
  return files.flatMap((file) => {
    const from = join("src", file);
    const { importedFiles } = ts.preProcessFile(readFileSync(from, "utf8"));
    return importedFiles.map(({ fileName }) => ({ from, to: targetOf(from, fileName) }));
  });
}

function targetOf(from: string, specifier: string): string {
  if (!specifier.startsWith(".")) return packageOf(specifier);
  const place = normalize(join(dirname(from), specifier)).replace(/\.js$/, "");
  const target = [`${place}.ts`, `${place}.tsx`].find((file) => existsSync(file));
  if (target === undefined) throw new Error(`${from} imports ${specifier}, which is not there`);
  return target;
}

function packageOf(specifier: string): string {
  const parts = specifier.split("/");
  return parts.slice(0, specifier.startsWith("@") ? 2 : 1).join("/");
}
