import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "@jest/globals";
import { dialectNames, dialects } from "../../src/dialects/registry.js";

const sourceFiles = readdirSync("src", { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .map((file) => `src/${file.replaceAll("\\", "/")}`);

describe("the registry of the dialects", () => {
  it("is the one file that lists them", () => {
    expect(sourceFiles.filter((file) => listsDialects(readFileSync(file, "utf8")))).toEqual([
      "src/dialects/registry.ts",
    ]);
  });

  it("has every folder of dialects under its own name", () => {
    const folders = readdirSync("src/dialects", { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(folders.map(({ name }) => name).toSorted()).toEqual(dialectNames.toSorted());
    expect(dialectNames.map((name) => dialects[name]().name)).toEqual(dialectNames);
  });
});

describe("the rule itself", () => {
  it.each(['["unified", "claude"]', "'journal' | 'records'", "{ unified: a, journal: b }", "`claude`, `records`"])(
    "sees a list in %s",
    (text) => {
      expect(listsDialects(text)).toBe(true);
    },
  );

  it.each([
    'dialects = ["unified"]',
    '"claude" or "claude"',
    "the dialects unified, claude and journal",
    'import "./claude/a.js"',
  ])("sees none in %s", (text) => {
    expect(listsDialects(text)).toBe(false);
  });
});

/** Whether two of the names stand there as values or keys, not as words of a sentence or parts of a path. */
function listsDialects(text: string): boolean {
  return dialectNames.filter((name) => new RegExp(`(["'\`])${name}\\1|\\b${name}:`).test(text)).length > 1;
}
