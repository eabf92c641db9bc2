import { readFile } from "node:fs/promises";
import { describe, expect, it } from "@jest/globals";
import { loadedModules } from "../helpers/loaded-modules.js";

/** Needs `dist`, which `npm test` builds first. The package imports itself by name, as its users do. */
const load = {
  module: (path: string) => `await import("langgraph-mongo-memory${path}");`,
  commonjs: (path: string) => `require("langgraph-mongo-memory${path}");`,
} as const;

const optional = /\/node_modules\/(langchain|@langchain\/(?:openai|anthropic|google-genai)|@anthropic-ai|@modelcontextprotocol)\//;

/** The entries that load and name no optional package, and what they add to the package's name. */
const entries = { index: "", claude: "/claude", journal: "/journal", records: "/records" };

describe.each(["module", "commonjs"] as const)("importing the package from a %s", (inputType) => {
  // Requirement: ways-in.entries-need-no-optional-package
  it(`loads no optional package for its entries ${Object.keys(entries).join(", ")}`, async () => {
    const modules = await loadedModules(inputType, Object.values(entries).map(load[inputType]).join(""));
    const own = modules.filter((url) => !url.includes("/node_modules/"));
    for (const entry of Object.keys(entries)) {
      const file = `/dist/${entry}.${inputType === "module" ? "js" : "cjs"}`;
      expect(own.filter((url) => url.endsWith(file))).toHaveLength(1);
    }
    expect(modules.some((url) => url.includes("/node_modules/@langchain/core/"))).toBe(true);
    expect(modules.filter((url) => optional.test(url))).toEqual([]);
  });

  it("would be seen loading one", async () => {
    const modules = await loadedModules(inputType, load[inputType]("/middleware"));
    expect(modules.some((url) => optional.test(url))).toBe(true);
  });
});

describe("the types of the package", () => {
  // An inferred return type can name an optional package that no source file imports.
  // Requirement: ways-in.entries-need-no-optional-package
  it.each(Object.keys(entries).flatMap((entry) => [`${entry}.d.ts`, `${entry}.d.cts`]))("%s need no optional package", async (file) => {
    const packages = await typePackages(file);
    expect(packages).toContain("@langchain/core");
    expect(packages.filter((name) => optional.test(`/node_modules/${name}/`))).toEqual([]);
  });
});

/** The packages that a declaration file and the chunks it imports name. */
async function typePackages(file: string, seen = new Set<string>()): Promise<string[]> {
  seen.add(file);
  const text = await readFile(`dist/${file}`, "utf8");
  const specifiers = Array.from(text.matchAll(/(?:from |import\()"([^"]+)"/g), ([, specifier = ""]) => specifier);
  const packages = specifiers.filter((specifier) => !specifier.startsWith("."));
  const chunks = specifiers.filter((specifier) => specifier.startsWith("."));
  for (const chunk of chunks) {
    const next = chunk.replace(/^\.\//, "").replace(/\.(c?)js$/, ".d.$1ts");
    if (!seen.has(next)) packages.push(...(await typePackages(next, seen)));
  }
  return packages.map((name) => name.split("/").slice(0, name.startsWith("@") ? 2 : 1).join("/"));
}
